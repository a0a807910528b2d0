import { isObject } from '@steploop/core'
import type { Failure } from '../check.ts'
import { lineDiff } from '../trace/line-diff.ts'
import { canonicalJson, parsed } from '../wires/json.ts'
import { recordedTurns, turnPlace, turnReplayer, type TurnOutcome } from './replay-turn.ts'
import { failuresShown, type StressCase, type Stressor } from './stressor.ts'

/** What a stream may hold beside its content must not change what it says. */
export const noise: Stressor = {
  id: 'noise',
  sentence: 'Comments, CR LF, a BOM, blank events, other fields and another order of fields and keys change nothing.',
  async run(stressCase) {
    const failures: Failure[] = []
    let variants = 0
    for (const recorded of recordedTurns(stressCase)) {
      const type = recorded.exchange.response.headers['content-type'] ?? ''
      if (stressCase.mode !== 'stream' || !type.startsWith('text/event-stream')) continue
      const replay = turnReplayer(stressCase, recorded)
      // Some providers end lines with CR LF; the changes below are written for LF.
      const text = new TextDecoder().decode(recorded.body).replaceAll('\r\n', '\n')
      const whole = await replay({ chunks: [recorded.body] })
      for (const [name, change] of Object.entries(noises)) {
        variants++
        const noisy = await replay({ chunks: [new TextEncoder().encode(change(text))] })
        failures.push(...compare(stressCase, recorded.number, { name, whole, noisy }))
      }
    }
    return { failures: failures.slice(0, failuresShown), variants }
  },
}

type Change = (text: string) => string

/** Applies a change to each event; events are separated by blank lines. */
const eachEvent =
  (change: (lines: readonly string[]) => readonly string[]): Change =>
  (text) =>
    text.replaceAll(/[^\n]+(?:\n[^\n]+)*/g, (block) => change(block.split('\n')).join('\n'))

/** Applies a change to the JSON of each `data:` line. */
const eachPayload = (change: (payload: Readonly<Record<string, unknown>>) => unknown): Change =>
  eachEvent((lines) =>
    lines.map((line) => {
      const payload = line.startsWith('data:') ? parsed(line.slice(5)) : undefined
      return isObject(payload) ? `data: ${JSON.stringify(change(payload))}` : line
    }),
  )

const noises: Readonly<Record<string, Change>> = {
  'LF alone': (text) => text,
  'a comment before each event': eachEvent((lines) => [': keep-alive 東京', ...lines]),
  'comments between the events': (text) => text.replaceAll('\n\n', '\n\n: ping\n\n:\n\n'),
  'CR LF for LF': (text) => text.replaceAll('\n', '\r\n'),
  'CR for LF': (text) => text.replaceAll('\n', '\r'),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'blank lines between the events': (text) => text.replaceAll('\n\n', '\n\n\n\n'),
  'an event without data': (text) => `event: nothing\n\n${text}`,
  '`event:` after `data:`': eachEvent((lines) => lines.toReversed()),
  'other fields': eachEvent((lines) => ['id: 7', 'retry: 3000', 'x-unknown: 1', ...lines]),
  'no blank after the colon': eachEvent((lines) => lines.map((line) => line.replace(/^(data|event): /, '$1:'))),
  'no blank line at the end': (text) => text.trimEnd(),
  'an unknown key in each payload': eachPayload((payload) => ({ x_unknown: { deep: [1, null] }, ...payload })),
  'keys in another order': eachPayload((payload) => reversed(payload)),
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => reversed(item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

function compare(
  { evidence }: StressCase,
  number: number,
  { name, whole, noisy }: { readonly name: string; readonly whole: TurnOutcome; readonly noisy: TurnOutcome },
): readonly Failure[] {
  const [expected = '', got = ''] = [whole, noisy].map(({ events }) =>
    events.map((event) => canonicalJson(event)).join('\n'),
  )
  if (expected === got && whole.error === noisy.error) return []
  const lines = lineDiff(expected, got)
    .split('\n')
    .filter((line) => !line.startsWith('  '))
  const thrown = noisy.error === whole.error ? [] : [`It throws ${noisy.error ?? 'nothing'}: ${noisy.message ?? ''}`]
  const message = `with ${name} the stream gives other events (- recorded, + noisy):\n${[...lines.slice(0, 6), ...thrown].join('\n')}`
  return [{ message, where: turnPlace(evidence, number) }]
}
