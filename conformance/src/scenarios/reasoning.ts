import { isObject } from '@steploop/core/adapter'
import { unless, type Check } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const thinking = 'Zürich liegt an der Limmat 🏞️, 東京 am Meer.'
const said = 'Zürich hat einen See, 東京 eine Bucht 🌊.'

const source = {
  url: 'https://example.com/see',
  title: 'Zürichsee 🌊',
  supports: 'Zürich hat einen See',
  quote: 'Der See reicht bis Zürich.',
}

const reasoningText: Scenario = {
  id: 'reasoning-text',
  title: 'Thoughts come apart from the answer, and before it.',
  appliesTo: { requires: ['reasoning'] },
  script: [answer({ type: 'reasoning', text: thinking }, { type: 'text', text: said, citations: [source] })],
  golden: `
    step 1 stop: reasoning + text
    completed answer
  `,
  run: asks('Was haben Zürich und 東京 gemeinsam?', [], { reasoning: 'low' }),
  checks: [
    {
      id: 'thought-apart',
      isOfScript: true,
      sentence: 'The thought is what the model thought, or hidden as a whole, and the answer is what it said.',
      judge: ({ runs }) => {
        const parts = runs[0]?.result?.steps[0]?.message.content ?? []
        const thoughts = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
        const { text } = runs[0]?.result ?? {}
        return [
          ...unless(
            thoughts === thinking || thoughts === '',
            `the thought is ${JSON.stringify(thoughts)}`,
            'run 1, step 1',
          ),
          ...unless(text === said, `the answer is ${JSON.stringify(text)}`, 'run 1, step 1'),
        ]
      },
    },
    {
      id: 'reasoning-tokens',
      sentence: 'Tokens of the thought are counted, as a part of the output tokens.',
      judge: ({ runs }) => {
        const { reasoningTokens = 0, outputTokens = 0 } = runs[0]?.result?.usage ?? {}
        const holds = reasoningTokens > 0 && reasoningTokens <= outputTokens
        return unless(holds, `${reasoningTokens} reasoning tokens of ${outputTokens} output tokens`, 'run 1')
      },
    },
  ],
}

/** Texts of a provider's own payload that can be nothing but opaque. */
function opaqueTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length >= 16 && !value.includes(' ') ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item) => opaqueTexts(item))
  return isObject(value) ? Object.values(value).flatMap((member) => opaqueTexts(member)) : []
}

function timesIn(body: string, text: string): number {
  return body.split(JSON.stringify(text).slice(1, -1)).length - 1
}

/** Whatever a provider signed or sealed, it wants back, and the thought that it showed with it. */
const sealsReplayed: Check = {
  id: 'replayed-as-it-was',
  sentence:
    'What the provider signed or sealed in the first turn is in the second body, byte by byte, and once, and the thought is there before the call.',
  judge: ({ runs }) => {
    const events = runs[0]?.turns[0]?.events ?? []
    const sealed = events.flatMap((event) =>
      opaqueTexts('providerMetadata' in event ? event.providerMetadata?.data : undefined),
    )
    const { text, view } = runs[0]?.requests[1] ?? {}
    if (text === undefined) return []
    // The id of a call stands at its result too, and is told by another check.
    const own = events.flatMap((event) => ('toolCallId' in event ? [event.toolCallId] : []))
    const ids = new Set([...own, ...(view?.items ?? []).flatMap((item) => ('id' in item ? [item.id] : []))])
    const where = 'run 1, request 2'
    const thought = events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.text] : [])).join('')
    const kinds = (view?.items ?? []).flatMap(({ type }) => (type === 'other' || type === 'call' ? [type] : []))
    return [
      ...[...new Set(sealed)]
        .filter((seal) => !ids.has(seal))
        .filter((seal) => timesIn(text, seal) !== 1)
        .map((seal) => ({ message: `the second body does not hold ${seal.slice(0, 40)} once`, where })),
      ...unless(thought === '' || timesIn(text, thought) > 0, 'the second body does not hold the thought', where),
      ...unless(kinds.lastIndexOf('other') <= kinds.indexOf('call'), 'the thought stands after the call', where),
    ]
  },
}

const reasoningReplay: Scenario = {
  id: 'reasoning-replay',
  title: 'A thought before a call goes back with the call, as the provider gave it.',
  appliesTo: { requires: ['tools', 'reasoning', 'reasoningReplay'] },
  script: [
    answer({ type: 'reasoning', text: 'Erst das Wetter in Zürich 🌤️.' }, call('get_weather', { city: 'Zürich' })),
    answer({ type: 'reasoning', text: 'Das genügt auch für 東京.' }, say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    step 1 tool-calls: reasoning + call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 stop: reasoning + text
    completed answer
  `,
  run: asks('Wetter in Zürich und 東京?', ['get_weather'], { reasoning: 'low' }),
  checks: [sealsReplayed],
}

const reasoningSealed: Scenario = {
  id: 'reasoning-sealed',
  title: 'A thought before a call that only the provider can read: it is kept, and goes back as it came.',
  appliesTo: { requires: ['tools', 'reasoning', 'reasoningReplay'] },
  onlySimulated: 'a real provider does not seal a thought on demand',
  script: [
    answer(
      { type: 'reasoning', text: 'Das bleibt unter uns 🤐.', sealed: true },
      call('get_weather', { city: 'Zürich' }),
    ),
    answer(say('In Zürich sind es 7 °C ☀️, in 東京 ist es spät.')),
  ],
  golden: `
    step 1 tool-calls: reasoning|opaque + call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich und 東京?', ['get_weather'], { reasoning: 'low' }),
  checks: [
    sealsReplayed,
    {
      id: 'seal-kept',
      isOfScript: true,
      sentence: 'The part of the thought holds what the provider wants back, and no text.',
      judge: ({ runs }) => {
        const parts = runs[0]?.result?.steps[0]?.message.content ?? []
        const thought = parts.find(({ type }) => type === 'reasoning' || type === 'opaque')
        const text = thought?.type === 'reasoning' ? thought.text : ''
        return unless(
          thought?.providerMetadata !== undefined && text === '',
          `the thought is ${JSON.stringify(thought)}`,
          'run 1, step 1',
        )
      },
    },
  ],
}

export const reasoningScenarios: readonly Scenario[] = [reasoningText, reasoningReplay, reasoningSealed]
