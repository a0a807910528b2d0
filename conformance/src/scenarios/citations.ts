import type { Citation } from '@steploop/core'
import type { Check, Failure } from '../check.ts'
import { asksTwice } from '../scenario-parts/asks.ts'
import { answeredTwice } from '../scenario-parts/goldens.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'
import type { ScriptedCitation } from '../script.ts'

const text = 'In Zürich sind es 7 °C 🌤️. In 東京 blühen die Kirschen.'

const sources: readonly ScriptedCitation[] = [
  {
    url: 'https://example.com/wetter/z%C3%BCrich',
    title: 'Wetter in Zürich 🌤️',
    supports: 'In Zürich sind es 7 °C',
    quote: 'Zürich: 7 °C, sonnig.',
  },
  {
    url: 'https://example.com/東京',
    title: '東京の桜 🌸',
    supports: 'In 東京 blühen die Kirschen.',
    quote: '東京では桜が咲いています。',
  },
]

/** A title and a location are not given by everyone; what is given has to be right. */
function judgeOne(citation: Citation | undefined, source: ScriptedCitation, where: string): readonly Failure[] {
  if (citation === undefined) return [{ message: `there is no citation of ${source.url}`, where }]
  const { url, title, startIndex, endIndex } = citation
  const supported = startIndex === undefined || endIndex === undefined ? undefined : text.slice(startIndex, endIndex)
  const facts: readonly [name: string, got: string | undefined, wanted: string][] = [
    ['address', url, source.url],
    ['title', title ?? source.title, source.title],
    ['supported text', supported ?? source.supports, source.supports],
  ]
  return facts
    .filter(([, got, wanted]) => got !== wanted)
    .map(([name, got, wanted]) => ({
      message: `the ${name} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`,
      where,
    }))
}

function judgeAll(citations: readonly Citation[], where: string): readonly Failure[] {
  const excess = citations
    .slice(sources.length)
    .map(({ url }) => ({ message: `${url} is cited once too often`, where }))
  return [...sources.flatMap((source, index) => judgeOne(citations[index], source, where)), ...excess]
}

const sourcesReported: Check = {
  id: 'sources-reported',
  sentence:
    'Each source arrives once as an event and once in the message: its address, its title and what it supports.',
  judge: ({ runs }) => {
    const events =
      runs[0]?.turns[0]?.events.flatMap((event) => (event.type === 'citation' ? [event.citation] : [])) ?? []
    const parts = runs[0]?.result?.steps[0]?.message.content ?? []
    const kept = parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []))
    const bare = parts.filter((part) => part.type === 'text' && part.text === '' && part.citations !== undefined)
    const unsupported = bare.map(() => ({
      message: 'citations hang on an empty text',
      where: 'run 1, message of step 1',
    }))
    return [
      ...unsupported,
      ...judgeAll(events, 'run 1, events of turn 1'),
      ...judgeAll(kept, 'run 1, message of step 1'),
    ]
  },
}

const citations: Scenario = {
  id: 'citations',
  title: 'The sources of an answer arrive as events and in the message, and the answer can be sent back with them.',
  onlySimulated: 'a real model does not cite given sources on demand',
  script: [answer({ type: 'text', text, citations: sources }), answer(say('Gern geschehen, auch aus 東京 👋.'))],
  golden: answeredTwice,
  run: asksTwice('Wie ist es in Zürich und 東京?', 'Danke! 🙏'),
  checks: [sourcesReported],
}

export const citationsScenarios: readonly Scenario[] = [citations]
