import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { unless } from '../../check.ts'
import { geminiAnswerForms } from './answer-forms.ts'
import { leaveOut } from '../simulate/leave-out.ts'
import { parsed } from '../../json.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import {
  answers,
  bodies,
  both,
  eachObject,
  events,
  perMode,
  requests,
  responses,
  type EventChange,
} from '../variants/recipe.ts'
import { countedAsAtTheEnd } from '../variants/usage-of-base.ts'

const streamed = ['gemini-generate/gemini/stream']
const always = ['gemini-generate/gemini']
const alsoVertex = [...streamed, 'gemini-generate/vertex/stream']

/** Models before Gemini 3 do not number their calls, and then nobody does. */
function withoutIds(value: JsonObject): JsonObject {
  return eachObject(value, (object) => {
    const member = ['functionCall', 'functionResponse'].find((name) => isObject(object[name]))
    return member === undefined ? object : { ...object, [member]: leaveOut(objectOf(object[member]), ['id']) }
  })
}

const noCallIds: WireQuirk = {
  of: 'parallel-calls',
  id: 'gemini-no-call-ids',
  title: 'Calls without ids: results find their calls, and no id that was made up is sent.',
  at: [...always, 'gemini-generate/vertex'],
  recipe: 'no `id` on calls, and none on responses (docs/wire.md#gemini-ids-of-calls)',
  change: both(requests(withoutIds), answers(withoutIds)),
}

/** Models that do not think sign nothing. */
function withoutSignatures(value: JsonObject): JsonObject {
  return eachObject(value, (object) => leaveOut(object, ['thoughtSignature']))
}

const unsigned: WireQuirk = {
  of: 'text-only',
  id: 'gemini-unsigned',
  title: 'Text without a signature at its end: it is closed, and goes back as it came.',
  at: always,
  recipe: 'no `thoughtSignature` (docs/wire.md#gemini-signatures)',
  change: answers(withoutSignatures),
}

function candidateOf(event: JsonObject): JsonObject {
  return objectOf(arrayOf(event['candidates'])[0])
}

/** All parts in one chunk, which is otherwise the last one. */
function merged(text: string): string {
  const chunks = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => objectOf(parsed(data.trim())))
  const last = chunks.at(-1)
  if (last === undefined) return text
  const parts = chunks.flatMap((chunk) => arrayOf(objectOf(candidateOf(chunk)['content'])['parts']))
  const candidate = { ...candidateOf(last), content: { parts, role: 'model' } }
  return `data: ${JSON.stringify({ ...last, candidates: [candidate] })}\r\n\r\n`
}

const oneChunk: WireQuirk = {
  of: 'single-call',
  id: 'gemini-one-chunk',
  title: 'A stream that is one chunk: call, finish reason and usage together.',
  at: streamed,
  recipe: 'all parts of the stream in its last chunk (docs/wire.md#gemini-streams-of-one-chunk)',
  change: responses(merged),
}

function withoutContent(value: JsonObject): JsonObject {
  return eachObject(value, (object) => {
    const content = objectOf(object['content'])
    return object['content'] !== undefined && arrayOf(content['parts']).length === 0
      ? leaveOut(object, ['content'])
      : object
  })
}

const noContent: WireQuirk = {
  of: 'empty-answer',
  id: 'gemini-no-content',
  title: 'A candidate without content.',
  at: always,
  recipe: 'no `content` where there are no parts (docs/wire.md#gemini-missing-parts)',
  change: answers(withoutContent),
}

/** What is said of a prompt that is not let in. */
function blocked(value: JsonObject): JsonObject {
  const { usageMetadata, modelVersion, responseId } = value
  return {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata,
    modelVersion,
    responseId,
  }
}

const blockedPrompt: WireQuirk = {
  of: 'content-filter',
  id: 'gemini-blocked-prompt',
  title: 'A prompt that is blocked: 200 without candidates is a filter, not an empty success.',
  at: always,
  recipe:
    '`promptFeedback.blockReason` in place of candidates (docs/wire.md#errors-inside-a-200, docs/wire.md#gemini-missing-parts)',
  change: perMode(
    bodies(blocked),
    events((event, { index }) => (index === 0 ? [blocked(event)] : [])),
  ),
  golden: `
    step 1 content-filter
    completed content-filter
  `,
}

/** The model called what was not declared; the provider keeps the call for itself. */
function undeclared(value: JsonObject): JsonObject {
  const finishMessage = 'Model tried to call an undeclared function: list_files'
  const candidate = { content: { role: 'model' }, finishReason: 'UNEXPECTED_TOOL_CALL', finishMessage, index: 0 }
  return { ...value, candidates: [candidate] }
}

const undeclaredCall: WireQuirk = {
  of: 'text-only',
  id: 'gemini-undeclared-call',
  title: 'A call that the provider keeps back: the run ends with a warning that says what the model tried.',
  at: always,
  recipe: 'finish reason `UNEXPECTED_TOOL_CALL` and no part (docs/wire.md#gemini-undeclared-calls)',
  mayLose: ['response.candidates'],
  change: perMode(
    bodies(undeclared),
    events((event, { index }) => (index === 0 ? [undeclared(event)] : [])),
  ),
  golden: `
    step 1 unknown
    completed answer
  `,
  checks: [
    {
      id: 'tried-call-named',
      sentence: 'A warning holds the provider’s own words.',
      judge: ({ runs }) => {
        const reported = (runs[0]?.result?.warnings ?? []).map(({ message }) => message).join('\n')
        return unless(reported.includes('list_files'), `the warnings are ${JSON.stringify(reported)}`, 'run 1')
      },
    },
  ],
}

/** A call as Vertex streams it: its name, its arguments leaf by leaf, and an empty one as the end. */
const piecewise: EventChange = (event) => {
  const candidate = candidateOf(event)
  const part = objectOf(arrayOf(objectOf(candidate['content'])['parts'])[0])
  if (!isObject(part['functionCall'])) return [event]
  const { args, ...call } = part['functionCall']
  const withCall = (functionCall: JsonObject, more: JsonObject = {}): JsonObject => ({
    ...event,
    candidates: [{ ...candidate, content: { role: 'model', parts: [{ ...more, functionCall }] } }],
  })
  const leaves = leavesOf('$', objectOf(args))
  const first = withCall({ ...call, willContinue: true }, leaveOut(part, ['functionCall']))
  return [first, ...leaves.map((leaf) => withCall({ partialArgs: [leaf], willContinue: true })), withCall({})]
}

/** A text comes in two pieces, and one name stands in brackets, as any may. */
function leavesOf(jsonPath: string, value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, at) => leavesOf(`${jsonPath}[${at}]`, item))
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, member]) =>
      leavesOf(name !== 'nights' ? `${jsonPath}.${name}` : `${jsonPath}['${name}']`, member),
    )
  }
  if (typeof value === 'number') return [{ jsonPath, numberValue: value }]
  if (typeof value === 'boolean') return [{ jsonPath, boolValue: value }]
  if (typeof value !== 'string') return [{ jsonPath, nullValue: 'NULL_VALUE' }]
  return [
    { jsonPath, stringValue: value.slice(0, 2), willContinue: true },
    { jsonPath, stringValue: value.slice(2) },
  ]
}

const partialArguments: WireQuirk = {
  of: 'parallel-calls',
  id: 'gemini-partial-arguments',
  title: 'Arguments that stream leaf by leaf.',
  at: alsoVertex,
  recipe: '`partialArgs` and `willContinue` in place of `args` (docs/wire.md#gemini-partial-arguments, Vertex)',
  change: events(piecewise),
}

const nestedPartialArguments: WireQuirk = {
  of: 'tool-declarations',
  id: 'gemini-partial-nested-arguments',
  title: 'Objects, lists, numbers, truths and nothing that stream leaf by leaf.',
  at: ['gemini-generate/in-full/stream'],
  recipe: '`partialArgs` with paths into lists and objects (docs/wire.md#gemini-partial-arguments, Vertex)',
  change: events(piecewise),
}

/** The first support counts in its part alone, and only its text tells where it stands; of the second one only the bytes do. */
function countedElsewhere(value: JsonObject): JsonObject {
  return eachObject(value, (object) => {
    const { startIndex, endIndex, text } = object
    if (typeof startIndex !== 'number' || typeof endIndex !== 'number') return object
    return startIndex > 0 ? { startIndex, endIndex } : { startIndex: 3, endIndex: endIndex + 3, text }
  })
}

const locatedCitations: WireQuirk = {
  of: 'citations',
  id: 'gemini-placed-citations',
  title: 'Citations whose locations count bytes, or count from another beginning than the text.',
  at: ['gemini-generate/in-full'],
  recipe: 'one `segment` counts from elsewhere, one has no text (https://ai.google.dev/api/generate-content#Segment)',
  change: answers(countedElsewhere),
  moreChecks: [
    {
      id: 'sources-placed',
      sentence: 'Each source says which words of the text it supports.',
      judge: ({ runs }) => {
        const parts = runs[0]?.result?.steps[0]?.message.content ?? []
        const located = parts.flatMap((part) =>
          part.type === 'text'
            ? (part.citations ?? []).map(({ startIndex, endIndex }) => part.text.slice(startIndex, endIndex))
            : [],
        )
        const expected = ['In Zürich sind es 7 °C', 'In 東京 blühen die Kirschen.']
        return unless(located.join('|') === expected.join('|'), `they support ${JSON.stringify(located)}`, 'run 1')
      },
    },
  ],
}

const trafficTypeFirst: WireQuirk = {
  of: 'text-only',
  id: 'gemini-traffic-type-first',
  title: 'Early chunks whose usage holds no count.',
  at: alsoVertex,
  recipe: 'only `trafficType` in the usage of all chunks but the last (docs/wire.md#gemini-usage-in-a-stream)',
  change: events((event) =>
    candidateOf(event)['finishReason'] === undefined
      ? [{ ...event, usageMetadata: { trafficType: 'ON_DEMAND' } }]
      : [event],
  ),
  moreChecks: [countedAsAtTheEnd],
}

/** https://ai.google.dev/api/generate-content, as it really comes. */
export const geminiGenerateQuirks: readonly WireQuirk[] = [
  noCallIds,
  unsigned,
  oneChunk,
  noContent,
  blockedPrompt,
  undeclaredCall,
  partialArguments,
  nestedPartialArguments,
  locatedCitations,
  trafficTypeFirst,
  geminiAnswerForms,
]
