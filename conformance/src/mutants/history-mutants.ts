import type { TurnEvent } from '@steploop/core/adapter'
import { changeParts, changeResults, withMessages } from './messages.ts'
import { brokenAdapter, brokenEnd, brokenEvent, brokenRequest, withTurn, type Breaks } from './mutant.ts'

const plainName = /^\w+$/

/** What histories seldom hold: system messages, changed texts, refusals, odd names. */
export const historyMutants: Breaks = {
  'late-system-first': brokenRequest({
    bug: 'A system message amid the conversation is sent before it.',
    killer: 'text-only#requests',
    change: (request) =>
      withMessages(request, (messages) =>
        messages.toSorted((one, other) => Number(other.role === 'system') - Number(one.role === 'system')),
      ),
  }),
  'late-system-lost': brokenRequest({
    bug: 'A system message amid the conversation is left out.',
    killer: 'system-messages#system-arrives-once',
    change: (request) =>
      withMessages(request, (messages) => messages.filter(({ role }, index) => role !== 'system' || index === 0)),
  }),
  'late-system-as-user': brokenRequest({
    bug: 'A system message amid the conversation is sent as words of the user, and nobody is told.',
    killer: 'text-only#requests',
    change: (request) =>
      withMessages(request, (messages) =>
        messages.map((message, index) =>
          message.role === 'system' && index > 0 ? { role: 'user', content: message.content } : message,
        ),
      ),
  }),
  'long-history-cut': brokenRequest({
    bug: 'Of a long conversation the last messages alone are sent.',
    killer: 'text-only#requests',
    change: (request) => withMessages(request, (messages) => messages.slice(-50)),
  }),
  'words-of-an-error': brokenRequest({
    bug: 'A result that begins with `Error` is flagged as one.',
    killer: 'text-only#requests',
    change: (request) =>
      changeResults(request, ({ output, ...result }) => {
        const isOne = output.type === 'text' && output.value.startsWith('Error')
        const value = { code: 'tool-failed', message: String(output.value) } as const
        return { ...result, output: isOne ? { type: 'error', value } : output }
      }),
  }),
  'redaction-ignored': brokenAdapter({
    bug: 'A text that the application changed goes back as the model said it.',
    killer: 'edited-answer#new-text-only',
    wrap(adapter) {
      let said = ''
      return withTurn(adapter, async function* turn(request, context) {
        const old = said
        const restored = changeParts(request, (part) => [
          part.type === 'text' && old !== '' ? { ...part, text: old } : part,
        ])
        said = ''
        for await (const batch of adapter.turn(restored, context)) {
          said += batch.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
          yield batch
        }
      })
    },
  }),
  'refusal-as-answer': brokenEvent({
    bug: 'The model’s refusal is an ordinary answer.',
    killer: 'refusal#refusal-reported',
    change: (event): readonly TurnEvent[] => {
      if (event.type !== 'refusal-delta') return [event]
      const { part, text } = event
      return [
        { type: 'text-start', part },
        { type: 'text-delta', part, text },
        { type: 'text-end', part },
      ]
    },
  }),
  'names-not-mapped-back': brokenEvent({
    bug: 'A tool is called by its name on the wire, which nobody has given it.',
    killer: 'odd-tool-names#golden',
    change: (event) => {
      const isOdd = event.type === 'tool-call' && !plainName.test(event.toolName)
      return [isOdd ? { ...event, toolName: event.toolName.replaceAll(/\W/g, '_') } : event]
    },
  }),
  'history-under-other-names': brokenRequest({
    bug: 'Calls in the history bear a name under which no tool is declared.',
    killer: 'odd-tool-names#one-name-for-a-tool',
    change: (request) =>
      changeParts(request, (part) => {
        const isOdd = part.type === 'tool-call' && !plainName.test(part.toolName)
        return [isOdd ? { ...part, toolName: part.toolName.replaceAll(/\W/g, '_') } : part]
      }),
  }),
  'cached-tokens-lost': brokenEnd({
    bug: 'Nobody learns that a part of the input was cached.',
    killer: 'cached-usage#cached-counted',
    change: ({ usage }) => usage && { usage: { ...usage, cachedInputTokens: undefined } },
  }),
}
