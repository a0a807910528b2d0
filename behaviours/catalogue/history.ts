import { held, type Behaviour } from '../behaviour.ts'

const core = 'packages/core/src'

/** Histories that every provider takes, ids, and what is stored where. */
export const history: readonly Behaviour[] = [
  held(
    'H01',
    'Calls and results go out in pairs only.',
    `${core}/transcript/history.ts`,
    'if (calls.length > 0) repaired.push(toolMessage(calls, results, start, warnings))',
    '',
  ),
  held(
    'H02',
    'Calls of a pause that was left get placeholder results.',
    `${core}/run/engine.ts`,
    'start.open, start.next.length > 0',
    'start.open, false',
  ),
  held(
    'H03',
    'With continuation off `store`, `previous_response_id` and `conversation` are cleared on every call; the result has the originals, completed or incomplete.',
    `${core}/run/provider-state.ts`,
    '.filter(([name]) => !stateNames.includes(name))',
    '',
  ),
  held(
    'H04',
    'The loop writes nothing; the caller stores the transcript, once.',
    `${core}/transcript/history.ts`,
    'return { messages: repaired, warnings }',
    'return { messages: warnings.length === 0 ? messages : repaired, warnings }',
  ),
  held(
    'H05',
    'A response is continued by its id; only what is new is sent.',
    `${core}/run/turn-request.ts`,
    'return { responseId: continuable.responseId, from: continuable.from }',
    'return undefined',
  ),
  held(
    'H06',
    'Providers that keep nothing get the whole history.',
    `${core}/run/turn-request.ts`,
    'if (!hasCapability(model.capabilities.continuation, mode)) return undefined',
    '',
  ),
  held(
    'H07',
    'A streamed response has its id too.',
    `${core}/wire/collect-turn.ts`,
    'end?.responseId ?? start?.responseId',
    'undefined',
  ),
  held(
    'H08',
    'After an edit, or a change of model, the whole history is sent.',
    `${core}/run/engine.ts`,
    'run.messages = messages\n    run.continuable = undefined',
    'run.messages = messages',
  ),
  held(
    'H09',
    'Signed reasoning goes back as it came, in its place.',
    'packages/adapters/anthropic/src/blocks.ts',
    "if (typeof delta['signature'] === 'string') block.fields['signature'] = delta['signature']",
    '',
  ),
  held(
    'H10',
    'What is stored is read back in full.',
    `${core}/run/run-input.ts`,
    'return transcript as unknown as Transcript',
    "return JSON.parse(JSON.stringify(transcript, (name, value) => (name === 'providerMetadata' ? undefined : value)))",
  ),
  held(
    'H11',
    'A run with tools can be streamed.',
    `${core}/run/step-loop.ts`,
    "startRun(config, input, 'stream', observer)",
    "startRun(config, input, 'generate', observer)",
  ),
  held(
    'H12',
    'A transcript does not change, and tells its final message, tool invocations and iterations.',
    `${core}/transcript/read-transcript.ts`,
    'result: results.get(call.toolCallId)',
    'result: undefined',
  ),
  held(
    'H13',
    'Each result is a message of the tool; a message of calls alone has no text.',
    'packages/adapters/openai-compatible/src/encode-assistant.ts',
    "dialect.emptyContent === 'null' ? null : ''",
    "''",
  ),
  held(
    'H14',
    'Names that are known later only belong to the caller.',
    `${core}/tools/plan-calls.ts`,
    "if (unknownTools === 'client') return true",
    '',
  ),
]
