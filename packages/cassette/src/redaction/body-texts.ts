import { jsonBodyText } from '../format/json-text.ts'

/** A text found in a body, and where: a path such as `choices[0].delta.content`, or empty for the body as it is. */
export interface BodyText {
  readonly path: string
  readonly text: string
}

/**
 * Every string of a body's JSON, of which a stream has one per event: strings at the same path of successive events are also joined,
 * because a secret that a model writes arrives in pieces. The body as it came is the last text.
 */
export function bodyTexts(body: Uint8Array): BodyText[] {
  const raw = new TextDecoder().decode(body)
  const joined = new Map<string, string>()
  for (const document of jsonDocuments(body, raw)) {
    const separate = streamPosition(document)
    for (const leaf of stringLeaves(document, '')) {
      add(joined, leaf.path, leaf.text)
      if (separate !== '') add(joined, `${leaf.path} (${separate})`, leaf.text)
    }
  }
  return [...[...joined].map(([path, text]) => ({ path, text })), { path: '', text: raw }]
}

function add(joined: Map<string, string>, path: string, text: string): void {
  joined.set(path, (joined.get(path) ?? '') + text)
}

function jsonDocuments(body: Uint8Array, raw: string): unknown[] {
  const whole = jsonBodyText(body)
  if (whole !== undefined) return [JSON.parse(whole)]
  return raw.split(/\r\n|[\r\n]/).flatMap((line) => {
    const json = line.replace(/^data: ?/, '')
    return /^\s*[[{]/.test(json) ? parsed(json) : []
  })
}

function parsed(json: string): unknown[] {
  try {
    return [JSON.parse(json)]
  } catch {
    return []
  }
}

const positions = ['index', 'output_index', 'content_index', 'summary_index', 'item_id']

// Parallel calls arrive interleaved: their pieces belong together by the position that each event names.
function streamPosition(document: unknown): string {
  if (typeof document !== 'object' || document === null) return ''
  return Object.entries(document)
    .filter(([key]) => positions.includes(key))
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ')
}

function stringLeaves(value: unknown, path: string): BodyText[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (Array.isArray(value))
    return value.flatMap((member, position) => stringLeaves(member, `${path}[${ownIndex(member) ?? position}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => stringLeaves(member, path === '' ? key : `${path}.${key}`))
}

// `tool_calls: [{ "index": 1, ... }]`: each event has one element, and its index says which call it continues.
function ownIndex(member: unknown): number | undefined {
  if (typeof member !== 'object' || member === null || !('index' in member)) return undefined
  return typeof member.index === 'number' ? member.index : undefined
}
