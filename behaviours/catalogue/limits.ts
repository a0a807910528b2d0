import { held, type Behaviour } from '../behaviour.ts'

const core = 'packages/core/src'

/** Limits and their defaults. */
export const limits: readonly Behaviour[] = [
  held(
    'M01',
    'The step limit may depend on the tools: one and a half per tool, 5 without any.',
    `${core}/run/run-config.ts`,
    "typeof maxSteps === 'function' ?",
    "typeof maxSteps === 'function' && maxSteps.length > 9 ?",
  ),
  held(
    'M02',
    'The step limit is 10, and never above 128.',
    `${core}/run/run-config.ts`,
    'hardMaxSteps = 128',
    'hardMaxSteps = 1280',
  ),
  held(
    'M03',
    'A step limit of 0 is legal: one request, nothing runs.',
    `${core}/run/limits.ts`,
    'stepNumber(run) >= config.maxSteps',
    'stepNumber(run) >= Math.max(1, config.maxSteps)',
  ),
  held(
    'M04',
    'The limit fires before the batch that is too much.',
    `${core}/tools/plan-calls.ts`,
    'return refusal ?? (',
    'return (',
  ),
  held(
    'M05',
    'A run that a limit ended tells the limit and its counts.',
    `${core}/run/make-result.ts`,
    ': limitDetail(run, ending.stopReason)',
    ': undefined',
  ),
  held('M06', 'A cautious client has 4 batches.', 'examples/presets.ts', 'maxSteps: 4,', 'maxSteps: 5,'),
  held(
    'M07',
    'Calls beyond the limit of a step are answered, not run.',
    `${core}/tools/plan-calls.ts`,
    'position >= options.maxToolCallsPerStep',
    'position > options.maxToolCallsPerStep',
  ),
  held(
    'M08',
    'A chat page is told of the limit, and gets a text where there is none.',
    `${core}/sse/server-sent-events.ts`,
    "if (status !== 'incomplete') return []",
    'if (status !== undefined) return []',
  ),
  held(
    'M09',
    'A run may have a time limit; the error that ends it has the transcript.',
    `${core}/run/abort-scope.ts`,
    'timeout === undefined || timeout <= 0',
    'timeout !== 0',
  ),
  held(
    'M10',
    'A tool has 30 s; a late one is answered with an error.',
    `${core}/run/run-config.ts`,
    'options.toolTimeout, 30_000',
    'options.toolTimeout, 0',
  ),
  held(
    'M11',
    'A request may have a time limit; 0 is none.',
    `${core}/policies/limit-turn-time.ts`,
    'end(error, error)',
    'void error',
  ),
  held(
    'M12',
    'Calls that run at the same time are bounded.',
    `${core}/run/run-config.ts`,
    'return parallelToolCalls === false ? 1 : 16',
    'return parallelToolCalls === false ? 1 : 128',
  ),
  held(
    'M13',
    'What happens at a limit is chosen: a last answer, incomplete, an error, or the end after a batch.',
    `${core}/run/run-config.ts`,
    "options.onLimit ?? 'finalize'",
    "'finalize'",
  ),
]
