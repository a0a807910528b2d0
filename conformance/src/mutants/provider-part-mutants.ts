import { isObject, type TurnEvent } from '@steploop/core/adapter'
import { changeAssistants, changeParts, isContinuation } from './messages.ts'
import {
  brokenAdapter,
  brokenBody,
  brokenEnd,
  brokenEvent,
  brokenEvents,
  brokenRequest,
  withTurn,
  type Breaks,
} from './mutant.ts'

type Part = Parameters<Parameters<typeof changeParts>[1]>[0]

/** What the provider ran, sealed or made itself, and the words in which it ends. */
export const providerPartMutants: Breaks = {
  'guardrail-unmapped': brokenEnd({
    bug: 'Of the words for an answer that was stopped only the first is known.',
    killer: 'guardrail#golden',
    change: ({ rawFinishReason }) =>
      rawFinishReason === 'PROHIBITED_CONTENT' ? { finishReason: 'unknown' } : undefined,
  }),
  'unknown-end-is-stop': brokenEnd({
    bug: 'An end for an unknown reason passes for a good one.',
    killer: 'unheard-of-end#golden',
    change: ({ finishReason }) => (finishReason === 'unknown' ? { finishReason: 'stop' } : undefined),
  }),
  'end-in-other-words': brokenEnd({
    bug: 'The word in which an answer ends is not the provider’s own.',
    killer: 'length-limit#told-as-sent',
    change: ({ finishReason }) => (finishReason === 'length' ? { rawFinishReason: 'too_long' } : undefined),
  }),
  'model-untold': brokenEvents({
    bug: 'After a tool has run nobody learns which model answered.',
    killer: 'single-call#told-as-sent',
    fresh: isContinuation,
    change: (events, isLater) =>
      events.map((event) => (isLater && 'model' in event ? { ...event, model: undefined } : event)),
  }),
  'model-as-asked': brokenAdapter({
    bug: 'Where a model is told, it is the one that was asked for, whichever answers.',
    killer: 'text-only#instance',
    wrap: (adapter) =>
      withTurn(adapter, async function* (request, context) {
        const { model } = adapter
        for await (const batch of adapter.turn(request, context))
          yield batch.map((event) => ('model' in event && event.model !== undefined ? { ...event, model } : event))
      }),
  }),
  'cache-writes-untold': brokenEnd({
    bug: 'What the provider wrote to its cache is not counted.',
    killer: 'prompt-cache#usage-as-scripted',
    change: ({ usage }) => ({ usage: usage && { ...usage, cacheWriteTokens: undefined } }),
  }),
  'provider-failure-told-as-success': brokenEvent({
    bug: 'What the provider’s tool printed before it failed passes for what it found.',
    killer: 'provider-tool-fails#failure-reported',
    change: (event) =>
      event.type === 'tool-result'
        ? [{ ...event, output: { type: 'text', value: 'Durch 0 geht es nicht.' } }]
        : [event],
  }),
  'thought-emptied': brokenRequest({
    bug: 'A thought goes back without its text.',
    killer: 'reasoning-replay#replayed-as-it-was',
    change: (request) => changeParts(request, (part) => (part.type === 'reasoning' ? [{ ...part, text: '' }] : [part])),
  }),
  'thought-after-the-call': brokenRequest({
    bug: 'In the history a thought stands after the call that it came before.',
    killer: 'reasoning-replay#replayed-as-it-was',
    change: (request) =>
      changeAssistants(request, (message) => ({
        ...message,
        content: message.content.toSorted((one, other) => Number(isThought(one)) - Number(isThought(other))),
      })),
  }),
  'failure-flagged-as-success': brokenBody({
    bug: 'The result of a call that failed is sent as that of one that did not.',
    killer: 'tool-throws#error-is-flagged',
    change: (body) => body.replaceAll('"is_error":true', '"is_error":false'),
  }),
  'sealed-thought-lost': brokenEvents({
    bug: 'A thought without a text to read is left out, with what the provider wants back.',
    killer: 'reasoning-sealed#golden',
    fresh: () => ({ read: false }),
    change: (events, state) => events.filter((event) => !isSealed(event, state)),
  }),
  'sealed-thought-not-sent-back': brokenRequest({
    bug: 'A thought without a text to read does not go back.',
    killer: 'reasoning-sealed#replayed-as-it-was',
    change: (request) =>
      changeParts(request, (part) =>
        part.type === 'opaque' || (part.type === 'reasoning' && part.text === '') ? [] : [part],
      ),
  }),
  'checksums-not-compared': {
    bug: 'Frames bear checksums, as the subject says, and nobody compares them.',
    killer: 'text-only#checksum',
    apply: (subject) => ({ ...subject, checksums: true }),
  },
  'file-of-the-model-lost': brokenEvent({
    bug: 'What the model made beside its words is dropped.',
    killer: 'file-from-model#file-reported-once',
    change: (event) => (event.type === 'file' ? [] : [event]),
  }),
  'file-of-the-model-twice': brokenEvent({
    bug: 'A file of the model is reported when it comes, and again.',
    killer: 'file-from-model#file-reported-once',
    change: (event) => (event.type === 'file' ? [event, { ...event, part: event.part + 1_000 }] : [event]),
  }),
  'provider-failure-as-result': brokenEvent({
    bug: 'Code that failed at the provider gave nothing, as if all was well.',
    killer: 'provider-tool-fails#failure-reported',
    change: (event) =>
      event.type === 'tool-result' && /fail|unavailable/i.test(JSON.stringify(event.output))
        ? [{ ...event, output: { type: 'text', value: '' } }]
        : [event],
  }),
  'riders-lost': brokenRequest({
    bug: 'Of what rode on a call of the provider only its id and its kind go back.',
    killer: 'provider-tool-fails#replayed-as-it-was',
    change: (request) =>
      changeParts(request, (part) => (part.type === 'tool-call' && part.owner === 'provider' ? [bare(part)] : [part])),
  }),
}

function isSealed(event: TurnEvent, state: { read: boolean }): boolean {
  if (event.type === 'reasoning-delta') state.read ||= event.text !== ''
  return event.type === 'opaque' || (event.type === 'reasoning-end' && !state.read)
}

function bare<Call extends Part & { readonly type: 'tool-call' }>(call: Call): Call {
  if (call.providerMetadata === undefined || !isObject(call.providerMetadata.data)) return call
  const { type, id } = call.providerMetadata.data
  return {
    ...call,
    providerMetadata: {
      ...call.providerMetadata,
      data: { ...(type !== undefined && { type }), ...(id !== undefined && { id }) },
    },
  }
}

function isThought({ type }: Part): boolean {
  return type === 'reasoning' || type === 'opaque'
}
