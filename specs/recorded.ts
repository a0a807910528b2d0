import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { arrayOf, isObject, jsonOf, objectOf, textOf } from '@steploop/core/adapter'
import { answerTexts, frameAnswers, type WireDocument } from './documents.ts'
import { recordedFamily } from './families.ts'

/**
 * What providers really took and sent: every request that was answered with 2xx, and what it was answered with. Recordings that a
 * person edited are no evidence and are left out. A folder that is not there gives none.
 */
export function* recordedDocuments(folders: readonly string[]): Generator<WireDocument> {
  for (const folder of folders.filter((candidate) => existsSync(candidate))) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const file of files.toSorted()) {
      if (file.includes('/') && file.endsWith('.json')) yield* recordingDocuments(`${folder}/${file}`, file)
    }
  }
}

/** The documents of one exchange, `undefined` where its recording lies in none of the folders. */
export function documentsAt(location: string, folders: readonly string[]): readonly WireDocument[] | undefined {
  const file = location.slice(0, location.lastIndexOf('#'))
  const path = folders.map((folder) => `${folder}/${file}`).find((candidate) => existsSync(candidate))
  return path === undefined
    ? undefined
    : [...recordingDocuments(path, file)].filter((document) => document.location === location)
}

function* recordingDocuments(path: string, file: string): Generator<WireDocument> {
  const recording = objectOf(jsonOf(readFileSync(path, 'utf8')))
  if (recording['handEdited'] === true) return
  for (const [index, raw] of arrayOf(recording['interactions']).entries()) {
    const { wire, provider, request, response } = objectOf(raw)
    const family = recordedFamily(textOf(wire) ?? textOf(recording['wire']) ?? '', textOf(provider) ?? '')
    const { status = 200, sse, body, bytesBase64 } = objectOf(response)
    if (family === undefined || typeof status !== 'number' || status < 200 || status > 299) continue
    const location = `${file}#${index + 1}`
    const { body: sent, url = '' } = objectOf(request)
    const from = { family, url: String(url), location }
    const json = typeof sent === 'string' ? objectOf(jsonOf(sent)) : sent
    if (isObject(json) && Object.keys(json).length > 0) yield { ...from, kind: 'request', json }
    const answers =
      typeof bytesBase64 === 'string'
        ? frameAnswers(Buffer.from(bytesBase64, 'base64'))
        : typeof sse === 'string'
          ? answerTexts(sse, true)
          : answerTexts(typeof body === 'string' ? body : JSON.stringify(body ?? null), family.wire === 'ollama-chat')
    for (const answer of answers) yield { ...from, ...answer }
  }
}
