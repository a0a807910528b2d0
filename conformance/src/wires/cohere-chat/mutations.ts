import { adding, after, having, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

/** https://docs.cohere.com/docs/streaming; recorded answers leave out what is empty. */
export const cohereChatMutations = wireMutations({
  tolerated: [
    ['no-id', 'deployments of one’s own', without('id')],
    ['no-role', 'there is only one role', without('message.role')],
    ['no-type', 'there is only one type of call', without('message.tool_calls[].type')],
    ['no-billed-units', 'nothing is billed in deployments of one’s own', without('usage.billed_units')],
    ['null-plan', 'proxies that re-encode answers', adding('message.tool_plan', null)],
    ['null-citations', 'proxies that re-encode answers', adding('message.citations', null)],
    [
      'debug-event',
      'an event of the documentation that says nothing of the answer',
      after({ type: 'debug', prompt: '' }),
    ],
    ['unknown-event', 'events are added', after({ type: 'something-new', index: 0, delta: { message: {} } })],
    ['null-logprobs', 'they were not asked for', adding('logprobs', null)],
  ],
  refused: [
    [
      'error-end',
      'the generation failed: `finish_reason` ERROR',
      replacedBy(
        '{"type":"message-end","delta":{"finish_reason":"ERROR","error":"generation failed"},"finish_reason":"ERROR","message":{"role":"assistant","content":[]}}',
      ),
    ],
    ['timeout-end', 'the generation took too long', having('finish_reason', 'TIMEOUT')],
  ],
})
