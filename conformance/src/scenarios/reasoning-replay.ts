import { isObject } from '@steploop/core/adapter'
import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

/** Texts of a provider's own payload that can be nothing but opaque. */
function opaqueTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length >= 16 && !value.includes(' ') ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item) => opaqueTexts(item))
  return isObject(value) ? Object.values(value).flatMap((member) => opaqueTexts(member)) : []
}

/** Whatever a provider signed or sealed, it wants back. */
export const sealsReplayed: Check = {
  id: 'replayed-as-it-was',
  sentence: 'What the provider signed or sealed in the first turn is in the second body, byte by byte, and once.',
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
    return [...new Set(sealed)]
      .filter((seal) => !ids.has(seal))
      .filter((seal) => text.split(JSON.stringify(seal).slice(1, -1)).length !== 2)
      .map((seal) => ({
        message: `the second body does not hold ${seal.slice(0, 40)} once`,
        where: 'run 1, request 2',
      }))
  },
}

export const reasoningReplay: Scenario = {
  id: 'reasoning-replay',
  title: 'A thought before a call goes back with the call, as the provider gave it.',
  appliesTo: { requires: ['tools', 'reasoning', 'reasoningReplay'] },
  script: [
    answer({ type: 'reasoning', text: 'Erst das Wetter in Zürich 🌤️.' }, call('get_weather', { city: 'Zürich' })),
    answer({ type: 'reasoning', text: 'Das genügt auch für 東京.' }, say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        reasoning
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        reasoning
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich und 東京?', { tools: { get_weather }, reasoning: 'low' })
  },
  checks: [sealsReplayed],
}
