import { AdapterError, type Adapter, type Message } from '@steploop/core'
import type { TurnEvent, TurnRequest } from '@steploop/core/adapter'

type Says =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly toolName: string; readonly input: object }
  | { readonly type: 'fails'; readonly retryable: boolean }

const text = (content: string): Says => ({ type: 'text', text: content })
const think = (content: string): Says => ({ type: 'reasoning', text: content })
const call = (toolName: string, input: object = {}): Says => ({ type: 'call', toolName, input })

const story = `Once upon a time a small loop ran in a circle, asked a model what to do, and did it. ${'It called a tool, read what came back, and asked again. '.repeat(20)}In the end it had an answer, and was glad.`
const help = `I am simulated: nothing leaves this machine. Ask me for the weather, to book a table, where you are, for a long story, to stumble or to fail. <b>This is no HTML.</b>`

/** How often each chat has failed or stumbled: the next attempt works. */
const attempts = new Map<string, number>()

function isSecond(key: string): boolean {
  const count = attempts.get(key) ?? 0
  attempts.set(key, count + 1)
  return count % 2 === 1
}

/** What the model says, by the last words of the user and the results that it has got since. */
function answerTo({ messages }: TurnRequest): readonly Says[] {
  const asked = messages.findLast(({ role }) => role === 'user')
  const words = textOf(asked).toLowerCase()
  const last = messages.at(-1)
  const key = JSON.stringify(messages.length)
  if (last?.role === 'tool') {
    const results = last.content.map(({ toolName, output }) => `${toolName} said ${JSON.stringify(output.value)}`)
    return [text(`Here is what came of it: ${results.join('; ')}.`)]
  }
  if (words.includes('weather')) {
    const places = ['Zürich', 'Tokyo']
    return [
      think('The user wants the weather. I ask for both places at once.'),
      text('I look it up. '),
      ...places.map((place) => call('get_weather', { place })),
    ]
  }
  if (words.includes('book')) return [text('May I book this? '), call('book_table', { people: 2, at: '19:00' })]
  if (words.includes('where')) return [call('get_location')]
  if (words.includes('story')) return [text(story)]
  if (words.includes('stumble'))
    return isSecond(`stumble ${key}`)
      ? [text('Now it works.')]
      : [text('This will be forgotten. '), { type: 'fails', retryable: true }]
  if (words.includes('fail'))
    return isSecond(`fail ${key}`)
      ? [text('This time it worked.')]
      : [text('Well, '), { type: 'fails', retryable: false }]
  return [text(help)]
}

function textOf(message: Message | undefined): string {
  if (message?.role !== 'user') return ''
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}

/** A model without a provider, which takes `delayMs` for each word, and waits for `beforeFailure` before it fails. */
export function simulatedModel(delayMs: number, beforeFailure?: () => Promise<void>): Adapter {
  const origin = { provider: 'simulated', model: 'parrot' }
  const capabilities = { tools: true, parallel: true, reasoning: true } as const
  return {
    ...origin,
    capabilities,
    async *turn(request, { signal }) {
      yield [{ type: 'turn-start', model: origin.model }]
      const parts = answerTo(request)
      for (const [part, piece] of parts.entries()) {
        if (piece.type === 'fails') await beforeFailure?.()
        for (const event of eventsOf(piece, part, origin)) {
          await pause(delayMs, signal)
          yield [event]
        }
      }
      const calls = parts.some(({ type }) => type === 'call')
      yield [{ type: 'turn-end', finishReason: calls ? 'tool-calls' : 'stop' }]
    },
  }
}

function* eventsOf(piece: Says, part: number, origin: { provider: string; model: string }): Generator<TurnEvent> {
  if (piece.type === 'fails') {
    const { retryable } = piece
    throw new AdapterError({
      ...origin,
      code: retryable ? 'overloaded' : 'bad-request',
      retryable,
      message: 'simulated',
    })
  }
  if (piece.type === 'call') {
    const { toolName, input } = piece
    const names = { toolCallId: crypto.randomUUID(), toolName, owner: 'client' } as const
    const inputText = JSON.stringify(input)
    yield { type: 'tool-call-start', part, ...names }
    yield { type: 'tool-call-delta', part, toolCallId: names.toolCallId, inputText }
    yield { type: 'tool-call', part, ...names, input, inputText }
  } else {
    yield { type: `${piece.type}-start`, part }
    for (const word of piece.text.split(/(?<= )/)) yield { type: `${piece.type}-delta`, part, text: word }
    yield { type: `${piece.type}-end`, part }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('aborted', 'AbortError'))
    })
  })
}
