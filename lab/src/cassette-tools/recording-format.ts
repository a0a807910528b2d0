import { isObject, objectOf } from '@steploop/core/adapter'
import { HarnessError } from '@steploop/conformance'
import { parsed } from '@steploop/conformance/cli'

/** Recordings of others that can be imported. */
export const recordingFormats = ['vcr', 'har', 'sessions', 'chunks', 'body', 'aimock'] as const

/**
 * `vcr`: VCR.py, YAML or JSON. `har`: HTTP archive 1.2. `sessions`: JSON with a list of interactions. `chunks`: one payload per line (AI SDK
 * `chunks.txt`). `body`: one JSON response alone. `aimock`: fixtures of aimock.
 */
export type RecordingFormat = (typeof recordingFormats)[number]

/** The format of a recording by its content; undefined when it is none that is known. */
export function detectFormat(text: string, file: string): RecordingFormat | undefined {
  if (/^\s*[[{]/.test(text)) return jsonFormat(text, file)
  if (/^(?:interactions|http_interactions):/m.test(text)) return 'vcr'
  return undefined
}

function jsonFormat(text: string, file: string): RecordingFormat | undefined {
  const root = parsed(text)
  if (root === undefined) return isLines(text) ? 'chunks' : brokenFormat(file)
  const members = objectOf(root)
  if (isObject(members['log'])) return 'har'
  if (Array.isArray(members['fixtures'])) return 'aimock'
  if (Array.isArray(members['http_interactions'])) return 'vcr'
  if (Array.isArray(members['interactions'])) return isVcr(members['interactions'][0]) ? 'vcr' : 'sessions'
  if (file.endsWith('.txt')) return 'chunks'
  const isBody = ['choices', 'output', 'content', 'candidates', 'message', 'error'].some((name) => name in members)
  return isBody ? 'body' : undefined
}

// Broken JSON: its name says which reader should report the location.
function brokenFormat(file: string): RecordingFormat | undefined {
  if (file.endsWith('.har')) return 'har'
  return file.endsWith('.json') ? 'sessions' : undefined
}

function isVcr(interaction: unknown): boolean {
  const request = objectOf(objectOf(interaction)['request'])
  return 'uri' in request || isObject(objectOf(objectOf(interaction)['response'])['status'])
}

function isLines(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1)
  return parsed(first) !== undefined
}

/** @throws HarnessError `usage` for a name that is none */
export function formatOf(name: string): RecordingFormat {
  const format = recordingFormats.find((known) => known === name)
  if (format !== undefined) return format
  throw new HarnessError('usage', `There is no format '${name}'. There are: ${recordingFormats.join(', ')}.`)
}
