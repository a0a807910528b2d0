import { adding, after, having, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

/** Compatible servers leave out whatever a client can do without (docs/wire.md#openai-chat-completions, part 2). */
export const openaiChatMutations = wireMutations({
  tolerated: [
    ['no-object', 'compatible servers leave it out', without('object')],
    ['no-created', 'compatible servers leave it out', without('created')],
    ['no-id', 'compatible servers leave it out', without('id')],
    ['null-fingerprint', 'most servers have none', having('system_fingerprint', null)],
    ['no-role', 'only the first chunk has to have it', without('choices[].delta.role')],
    ['null-content', 'servers send it beside calls', adding('choices[].delta.content', null)],
    ['null-calls', 'servers send it beside text', adding('choices[].delta.tool_calls', null)],
    ['no-call-type', 'there is only one type that counts', without('choices[].delta.tool_calls[].type')],
    [
      'null-call-id',
      'servers repeat the id as null in later fragments',
      adding('choices[].delta.tool_calls[].id', null),
    ],
    [
      'empty-call-id',
      'servers repeat the id as an empty text in later fragments',
      adding('choices[].delta.tool_calls[].id', ''),
    ],
    [
      'chunk-without-choices',
      'Azure begins with one, others send usage so',
      after({ id: '', object: 'chat.completion.chunk', created: 0, model: '', choices: [] }),
    ],
    ['null-usage', 'every chunk but the last has it so', adding('usage', null)],
  ],
  refused: [
    [
      'error-in-between',
      'servers tell of a failure inside a stream that began with 200',
      replacedBy('{"error":{"message":"The server had an error","type":"server_error","code":null,"param":null}}'),
    ],
  ],
})
