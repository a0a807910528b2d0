import { adding, after, brokenJson, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

/** https://docs.ollama.com/api/chat; durations and counts may be missing, thoughts and content may be empty (docs/wire.md#ollama). */
export const ollamaChatMutations: readonly WireMutation[] = [
  { id: 'no-created', why: 'compatible servers leave it out', verdict: 'tolerate', change: without('created_at') },
  { id: 'no-model', why: 'compatible servers leave it out', verdict: 'tolerate', change: without('model') },
  {
    id: 'no-durations',
    why: 'compatible servers do not measure',
    verdict: 'tolerate',
    change: without('total_duration'),
  },
  { id: 'no-role', why: 'there is only one role', verdict: 'tolerate', change: without('message.role') },
  { id: 'empty-thinking', why: 'newer servers send it', verdict: 'tolerate', change: adding('message.thinking', '') },
  {
    id: 'null-calls',
    why: 'proxies that re-encode the lines send it',
    verdict: 'tolerate',
    change: adding('message.tool_calls', null),
  },
  {
    id: 'empty-line',
    why: 'a token may have no text',
    verdict: 'tolerate',
    change: after({ model: '', created_at: '', message: { role: 'assistant', content: '' }, done: false }),
  },
  brokenJson,
  {
    id: 'error-in-between',
    why: 'an `error` line ends a stream that began with 200',
    verdict: 'refuse',
    change: replacedBy('{"error":"model runner has unexpectedly stopped"}'),
  },
]
