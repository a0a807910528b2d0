import { held, type Behaviour } from '../behaviour.ts'

const core = 'packages/core/src'

/** What nobody asked for and everybody will expect. */
export const expected: readonly Behaviour[] = [
  held(
    'E01',
    'An abort at any moment settles at once and leaves nothing open.',
    `${core}/define-http-adapter.ts`,
    '            signal,\n',
    '',
  ),
  held(
    'E02',
    'Failures that may pass are asked for again, when the provider says so.',
    `${core}/retry-after.ts`,
    'if (after !== null) return parseDelay(after, now)',
    '',
  ),
  held(
    'E03',
    'One type of error per kind of failure.',
    `${core}/provider-error.ts`,
    'if (code !== undefined) return code\n',
    '',
  ),
  held(
    'E04',
    'Arguments are checked against the schema; the model is told what is wrong.',
    `${core}/run-tool.ts`,
    'if (result.issues === undefined) return { input: result.value }',
    'if (result.issues !== null) return { input: result.value }',
  ),
  held(
    'E05',
    'Another provider may take over, with the same history.',
    `${core}/recover-turn.ts`,
    'run.model = next',
    'void next',
  ),
  held(
    'E06',
    'A run that waits is versioned data.',
    `${core}/execute-calls.ts`,
    'answer.input === undefined ? call : withInput(call, answer.input)',
    'call',
  ),
  held(
    'E07',
    'Images, files, citations and refusals.',
    'packages/adapters/anthropic/src/encode-file.ts',
    "part.mediaType.startsWith('image/')",
    "part.mediaType.startsWith('picture/')",
  ),
  held(
    'E08',
    'Budgets of tokens, cost, calls, calls per tool and repetitions.',
    `${core}/policies/limit-tool-calls.ts`,
    '< most',
    '<= most',
  ),
  held(
    'E09',
    'Long outputs and long conversations can be shortened.',
    `${core}/policies/limit-tool-output.ts`,
    'if (text.length <= maxCharacters) return output',
    'if (text.length >= 0) return output',
  ),
  held(
    'E10',
    'Paused turns go on, a forced choice holds once, the last turn has no tools.',
    `${core}/turn-request.ts`,
    'return forced && step > 0 ? undefined : choice',
    'return choice',
  ),
  held(
    'E11',
    'A step may be edited, which ends a continuation.',
    `${core}/turn-request.ts`,
    ' || continuable.model !== model.model',
    '',
  ),
]
