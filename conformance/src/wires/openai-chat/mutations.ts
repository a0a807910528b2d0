import { adding, after, brokenJson, having, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

/** Compatible servers leave out whatever a client can do without (docs/wire.md#openai-chat-completions, part 2). */
export const openaiChatMutations: readonly WireMutation[] = [
  { id: 'no-object', why: 'compatible servers leave it out', verdict: 'tolerate', change: without('object') },
  { id: 'no-created', why: 'compatible servers leave it out', verdict: 'tolerate', change: without('created') },
  { id: 'no-id', why: 'compatible servers leave it out', verdict: 'tolerate', change: without('id') },
  {
    id: 'null-fingerprint',
    why: 'most servers have none',
    verdict: 'tolerate',
    change: having('system_fingerprint', null),
  },
  {
    id: 'no-role',
    why: 'only the first chunk has to have it',
    verdict: 'tolerate',
    change: without('choices[].delta.role'),
  },
  {
    id: 'null-content',
    why: 'servers send it beside calls',
    verdict: 'tolerate',
    change: adding('choices[].delta.content', null),
  },
  {
    id: 'null-calls',
    why: 'servers send it beside text',
    verdict: 'tolerate',
    change: adding('choices[].delta.tool_calls', null),
  },
  {
    id: 'no-call-type',
    why: 'there is only one type that counts',
    verdict: 'tolerate',
    change: without('choices[].delta.tool_calls[].type'),
  },
  {
    id: 'null-call-id',
    why: 'servers repeat the id as null in later fragments',
    verdict: 'tolerate',
    change: adding('choices[].delta.tool_calls[].id', null),
  },
  {
    id: 'empty-call-id',
    why: 'servers repeat the id as an empty text in later fragments',
    verdict: 'tolerate',
    change: adding('choices[].delta.tool_calls[].id', ''),
  },
  {
    id: 'chunk-without-choices',
    why: 'Azure begins with one, others send usage so',
    verdict: 'tolerate',
    change: after({ id: '', object: 'chat.completion.chunk', created: 0, model: '', choices: [] }),
  },
  { id: 'null-usage', why: 'every chunk but the last has it so', verdict: 'tolerate', change: adding('usage', null) },
  brokenJson,
  {
    id: 'error-in-between',
    why: 'servers tell of a failure inside a stream that began with 200',
    verdict: 'refuse',
    change: replacedBy(
      '{"error":{"message":"The server had an error","type":"server_error","code":null,"param":null}}',
    ),
  },
]
