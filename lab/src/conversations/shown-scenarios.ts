import { isObject } from '@steploop/core/adapter'
import { canonicalJson, isModels, type CallItem, type ResultItem } from '@steploop/conformance/cli'
import type { Chain, LinkedTurn } from './link-turns.ts'

/** Ids of the suite's scenarios that a recorded conversation shows, when the loop has sent what its client sent. */
export function shownScenarios(chain: Chain): readonly string[] {
  const facts = factsOf(chain)
  return Object.entries(signs).flatMap(([id, isShown]) => (isShown(facts) ? [id] : []))
}

interface Facts {
  readonly chain: Chain
  /** For each turn after the first, the calls that it answers, with their results. */
  readonly followUps: readonly (readonly Answered[])[]
}

interface Answered {
  readonly call: CallItem
  readonly result: ResultItem
}

function factsOf(chain: Chain): Facts {
  const followUps = chain.slice(1).map(({ added }, index) => {
    const calls = (chain[index]?.response.parts ?? []).flatMap((part): CallItem[] =>
      part.type === 'call' ? [part] : [],
    )
    const results = added.filter((item) => item.type === 'result')
    return results.flatMap((result, at): Answered[] => {
      const call = calls.find(({ id }) => id === result.id) ?? calls[at]
      return call === undefined ? [] : [{ call, result }]
    })
  })
  return { chain, followUps }
}

/** How each scenario is told from a recording. Scenarios without a line are about what no recording holds: failures, aborts, limits. */
const signs: Readonly<Record<string, (facts: Facts) => boolean>> = {
  'single-call': ({ followUps }) => followUps.some((answered) => answered.length === 1),
  'parallel-calls': ({ followUps }) => followUps.some((answered) => new Set(answered.map(toolName)).size > 1),
  'parallel-same-tool': ({ followUps }) =>
    followUps.some((answered) => new Set(answered.map(toolName)).size < answered.length),
  'repeated-call': ({ followUps }) =>
    followUps.some((answered) => new Set(answered.map(callKey)).size < answered.length),
  'three-turn': ({ followUps }) => withTools(followUps) >= 2,
  'five-turn': ({ followUps }) => withTools(followUps) >= 4,
  'no-arguments': ({ followUps }) => followUps.flat().some(({ call }) => canonicalJson(call.input) === '{}'),
  'nested-arguments': ({ followUps }) => followUps.flat().some(({ call }) => isNested(call.input)),
  'image-in-result': ({ followUps }) => followUps.flat().some(({ result }) => result.files.length > 0),
  'unknown-tool': ({ chain, followUps }) =>
    followUps.some((answered, index) => answered.some(({ call }) => !declares(chain[index], call))),
  'text-then-call': ({ chain }) =>
    beforeLast(chain).some(({ response }) =>
      response.parts.some((part, index) => part.type === 'call' && response.parts[index - 1]?.type === 'text'),
    ),
  'text-only': ({ chain }) =>
    chain.some(({ response }) => response.parts.length > 0 && response.parts.every(({ type }) => type === 'text')),
  'no-tools': ({ chain }) => chain.every(({ request }) => request.tools.length === 0),
  'tool-choice-required': ({ chain }) => chain.some(({ request }) => request.choice === 'required'),
  'tool-choice-named': ({ chain }) => chain.some(({ request }) => typeof request.choice === 'object'),
  'tool-output-only': ({ chain }) =>
    chain.some(
      ({ request }) =>
        request.previous !== undefined && request.items.every(({ type }) => type === 'result' || type === 'system'),
    ),
  continuation: ({ chain }) => chain.slice(1).some(({ request }) => request.previous !== undefined),
  'reasoning-text': ({ chain }) =>
    beforeLast(chain).some(({ response }) => response.parts.some(({ type }) => type === 'reasoning')),
  'reasoning-replay': ({ chain }) =>
    chain.slice(1).some(({ request }) => request.opaque.some((text) => !chain[0]?.request.opaque.includes(text))),
  'provider-tool': ({ chain }) =>
    chain
      .slice(1)
      .some(({ request }, index) => countBlocks(request.items) > countBlocks(chain[index]?.request.items ?? [])),
  'pause-turn': ({ chain }) => chain.slice(1).some(({ added }) => added.length === 0),
  'image-input': ({ chain }) =>
    chain.some(({ added }) => added.some((item) => item.type === 'file' && isImage(item.file.mediaType))),
  'file-input': ({ chain }) =>
    chain.some(({ added }) => added.some((item) => item.type === 'file' && !isImage(item.file.mediaType))),
  'instructions-and-settings': ({ chain }) =>
    chain.some(({ request }) => request.items[0]?.type === 'system' && Object.keys(request.settings).length > 0),
  structured: ({ chain }) => chain.some(({ body }) => asksForJson(body)),
  'structured-with-tools': ({ chain }) =>
    chain.some(({ body, request }) => asksForJson(body) && request.tools.length > 0),
  'prompt-cache': ({ chain }) => chain.every(({ body }) => JSON.stringify(body).includes('"cache_control":{')),
}

function beforeLast(chain: Chain): Chain {
  return chain.slice(0, -1)
}

function withTools(followUps: Facts['followUps']): number {
  return followUps.filter(({ length }) => length > 0).length
}

function toolName({ call }: Answered): string {
  return call.toolName
}

function callKey({ call }: Answered): string {
  return `${call.toolName} ${canonicalJson(call.input)}`
}

function isNested(input: unknown): boolean {
  return isObject(input) && Object.values(input).some((value) => typeof value === 'object' && value !== null)
}

function declares(turn: LinkedTurn | undefined, call: CallItem): boolean {
  return turn?.request.tools.some(({ name }) => name === call.toolName) ?? false
}

function countBlocks(items: LinkedTurn['request']['items']): number {
  return items.filter((item) => item.type === 'block' && isModels(item)).length
}

function isImage(mediaType: string | undefined): boolean {
  return mediaType?.startsWith('image/') ?? false
}

/** Where the formats ask for JSON of a schema. */
function asksForJson(body: LinkedTurn['body']): boolean {
  const text = JSON.stringify(body)
  return (
    /"type":"json_schema"|"response(?:Json)?Schema":\{|"format":\{"(?:type|properties)"/.test(text) &&
    !/"format":\{"type":"text"/.test(text)
  )
}
