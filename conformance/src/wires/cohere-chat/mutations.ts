import { adding, after, brokenJson, having, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

/** https://docs.cohere.com/docs/streaming; recorded answers leave out what is empty. */
export const cohereChatMutations: readonly WireMutation[] = [
  { id: 'no-id', why: 'deployments of one’s own', verdict: 'tolerate', change: without('id') },
  { id: 'no-role', why: 'there is only one role', verdict: 'tolerate', change: without('message.role') },
  {
    id: 'no-type',
    why: 'there is only one type of call',
    verdict: 'tolerate',
    change: without('message.tool_calls[].type'),
  },
  {
    id: 'no-billed-units',
    why: 'nothing is billed in deployments of one’s own',
    verdict: 'tolerate',
    change: without('usage.billed_units'),
  },
  {
    id: 'null-plan',
    why: 'proxies that re-encode answers',
    verdict: 'tolerate',
    change: adding('message.tool_plan', null),
  },
  {
    id: 'null-citations',
    why: 'proxies that re-encode answers',
    verdict: 'tolerate',
    change: adding('message.citations', null),
  },
  {
    id: 'debug-event',
    why: 'an event of the documentation that says nothing of the answer',
    verdict: 'tolerate',
    change: after({ type: 'debug', prompt: '' }),
  },
  {
    id: 'unknown-event',
    why: 'events are added',
    verdict: 'tolerate',
    change: after({ type: 'something-new', index: 0, delta: { message: {} } }),
  },
  { id: 'null-logprobs', why: 'they were not asked for', verdict: 'tolerate', change: adding('logprobs', null) },
  brokenJson,
  {
    id: 'error-end',
    why: 'the generation failed: `finish_reason` ERROR',
    verdict: 'refuse',
    change: replacedBy(
      '{"type":"message-end","delta":{"finish_reason":"ERROR","error":"generation failed"},"finish_reason":"ERROR","message":{"role":"assistant","content":[]}}',
    ),
  },
  {
    id: 'timeout-end',
    why: 'the generation took too long',
    verdict: 'refuse',
    change: having('finish_reason', 'TIMEOUT'),
  },
]
