import { held, listed, type Behaviour } from '../behaviour.ts'

const core = 'packages/core/src'

/** Policies of a chat backend. */
export const policies: readonly Behaviour[] = [
  held(
    'P01',
    'On the first step `search_web` is forced when the system or user prompt says news, latest, recent, current, last, past, find, look up or search, or names a time; else the choice is auto.',
    'examples/presets.ts',
    'const searchWords = /news|latest|',
    'const searchWords = /quantum|',
  ),
  held(
    'P02',
    'xAI is not forced, natively or behind a gateway.',
    `${core}/policies/force-first-tool.ts`,
    ' || isOfXai(model)',
    '',
  ),
  held(
    'P03',
    'An empty answer is asked for again, twice at most, never after tools.',
    `${core}/policies/retry-empty.ts`,
    'const called = turns.some(hasCall)',
    'const called = turns.length > 9',
  ),
  held(
    'P04',
    'An ignored forced tool is asked for again only where that is wanted, once.',
    `${core}/policies/retry-empty.ts`,
    'ignoredTool === undefined || ',
    '',
  ),
  held(
    'P05',
    'An answer that stays empty becomes "No additional content generated.", in the result and on the page.',
    'examples/presets.ts',
    ", giveUpText: 'No additional content generated.'",
    '',
  ),
  held(
    'P06',
    'After tools the model is told to answer from their results: with the tools and choice none; where that fails or gives nothing, as a stream without tools; else the loop goes on.',
    `${core}/policies/finalize-after-tools.ts`,
    ', fallback: streamed }',
    ' }',
  ),
  held(
    'P07',
    'Missing times of a search are filled in; what the model gave stays.',
    `${core}/policies/refine-input.ts`,
    'value !== undefined && given[name] === undefined',
    'value !== undefined',
  ),
  held(
    'P08',
    'A greeting for an empty prompt, defaults, and nothing that is not given.',
    'examples/presets.ts',
    "content: 'Hello' }] }",
    "content: '' }] }",
  ),
  held(
    'P09',
    'A trace of requests, calls and ends.',
    `${core}/policies/trace.ts`,
    "['onToolExecuted', note('tool-call', toolData)],",
    '',
  ),
  held(
    'P10',
    'A tool may route the next step to another model.',
    `${core}/policies/route-by-tool.ts`,
    'if (model !== undefined) return { model }',
    'if (model !== undefined) return undefined',
  ),
  held(
    'P11',
    'A missing key is told before any request.',
    `${core}/http/define-http-adapter.ts`,
    'if (options.apiKeyOptional || ',
    'if (options.apiKeyVariable || ',
  ),
  held(
    'P12',
    'What a provider wants otherwise stays in its adapter.',
    'packages/adapters/mistral/src/dialect.ts',
    "toolChoice: { required: 'any' },",
    '',
  ),
  listed(
    'P13',
    'A flag that switches between two loops.',
    'Not wanted: there is one loop. An application that compares two versions picks the package or the options itself.',
  ),
]

/** Hooks and control. */
export const hooks: readonly Behaviour[] = [
  held(
    'K01',
    'A hook after each tool, before the next one begins, and one for every answer; both may stop or override.',
    `${core}/tools/dispatch.ts`,
    'return inQueue(work, () => executed(work.begun.get(index) ?? plan.call, result))',
    'return undefined',
  ),
  held(
    'K02',
    'A hook lets the run go on, stops it, or answers itself.',
    `${core}/run/hooks.ts`,
    "append(run, { role: 'assistant', content: [{ type: 'text', text }] })",
    '',
  ),
  held(
    'K03',
    'Hooks see step, request, response, results, transcript, model and tools, as a copy.',
    `${core}/run/hooks.ts`,
    'return run.messages.slice()',
    'return run.messages',
  ),
  held(
    'K04',
    'Approvals: waited for, given per call or for all, edited, refused, abandoned.',
    `${core}/run/run-input.ts`,
    'const answers = withEveryApproval(given, pendingCalls)',
    'const answers = given',
  ),
  held('K05', 'Metrics need hooks only.', `${core}/run/hooks.ts`, 'return run.steps.slice()', 'return []'),
  held(
    'K06',
    'A run can be left anywhere.',
    `${core}/run/engine.ts`,
    "(await askHook(run, 'onStepStart', { finalizing })) === 'ended'",
    "(await askHook(run, 'onStepStart')) === undefined && run.ended !== undefined",
  ),
  held(
    'K07',
    'A hook that fails ends the run with its name and the transcript.',
    `${core}/run/hooks.ts`,
    "throw new LoopError('hook-failed', message, { cause })",
    'throw cause',
  ),
]
