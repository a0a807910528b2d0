import { adding, after, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

/** https://docs.ollama.com/api/chat; durations and counts may be missing, thoughts and content may be empty (docs/wire.md#ollama). */
export const ollamaChatMutations = wireMutations({
  tolerated: [
    ['no-created', 'compatible servers leave it out', without('created_at')],
    ['no-model', 'compatible servers leave it out', without('model')],
    ['no-durations', 'compatible servers do not measure', without('total_duration')],
    ['no-role', 'there is only one role', without('message.role')],
    ['empty-thinking', 'newer servers send it', adding('message.thinking', '')],
    ['null-calls', 'proxies that re-encode the lines send it', adding('message.tool_calls', null)],
    [
      'empty-line',
      'a token may have no text',
      after({ model: '', created_at: '', message: { role: 'assistant', content: '' }, done: false }),
    ],
  ],
  refused: [
    [
      'error-in-between',
      'an `error` line ends a stream that began with 200',
      replacedBy('{"error":"model runner has unexpectedly stopped"}'),
    ],
  ],
})
