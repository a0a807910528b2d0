import { held, type Behaviour } from '../behaviour.ts'

const core = 'packages/core/src'

/** Streams: putting calls together, and the events that the application sees. */
export const streaming: readonly Behaviour[] = [
  held(
    'S01',
    'Streamed calls are told apart by the provider’s index.',
    `${core}/wire/tool-call-assembler.ts`,
    'byIndex.get(index)',
    'calls.at(-1)',
  ),
  held(
    'S02',
    'Fragments whose id and name are null go on with the call.',
    'packages/adapters/openai-compatible/src/message-reader.ts',
    "const name = textOf(call['name'])",
    "const name = call['name'] === null ? 'null' : textOf(call['name'])",
  ),
  held(
    'S03',
    'Arguments may come before id and name.',
    `${core}/wire/tool-call-assembler.ts`,
    "if (call.closed || call.name === '' || ",
    'if (call.closed || ',
  ),
  held(
    'S04',
    'A single call is a single call.',
    `${core}/wire/tool-call-assembler.ts`,
    'call.text += fragment.argumentsText',
    'call.text = fragment.argumentsText',
  ),
  held(
    'S05',
    'Answers that come whole are read alike.',
    'packages/adapters/openai-compatible/src/decode.ts',
    "choice[whole ? 'message' : 'delta']",
    "choice['delta']",
  ),
  held(
    'S06',
    'Ids, indexes and names come in every odd form; a missing end is an error.',
    `${core}/wire/tool-call-assembler.ts`,
    'call.name += fragment.name',
    'call.name = fragment.name',
  ),
  held(
    'S07',
    'Calls count, whatever the finish reason.',
    'packages/adapters/ollama/src/decode.ts',
    'calls.count > 0',
    'calls.count > 9',
  ),
  held(
    'S08',
    'Events come in one order; each call goes through its states.',
    `${core}/tools/call-events.ts`,
    "state: 'queued' })",
    "state: 'running' })",
  ),
  held(
    'S09',
    'A page gets calls, executions, results, content and the end in that order.',
    `${core}/sse/server-sent-events.ts`,
    "event.state !== 'queued'",
    "event.state !== 'completed'",
  ),
  held(
    'S10',
    'An error inside a stream is an error.',
    'packages/adapters/openai-compatible/src/decode.ts',
    "throwIfError(chunk, event === 'error', origin, dialect)",
    '',
  ),
  held(
    'S11',
    'Reasoning comes before content and calls.',
    `${core}/sse/server-sent-events.ts`,
    "return [{ type: 'reasoning', content: event.text }]",
    'return []',
  ),
  held(
    'S12',
    'Deltas are for those who stream.',
    `${core}/run/step-loop.ts`,
    "input, 'generate', {})",
    "input, 'stream', {})",
  ),
  held(
    'S13',
    'Results are told between the turns.',
    `${core}/tools/call-events.ts`,
    "emit({ type: 'tool-result', toolCallId, toolName, output: outcome.output, owner })",
    'void owner',
  ),
  held(
    'S14',
    'A broken connection gives an error, an end, and the transcript so far.',
    `${core}/sse/server-sent-events.ts`,
    "{ ...end, status: 'failed' },",
    '',
  ),
  held(
    'S15',
    'The synthetic tool shows in no event.',
    `${core}/run/ask-model.ts`,
    'run.hiddenCalls.add(event.toolCallId)',
    'void 0',
  ),
]
