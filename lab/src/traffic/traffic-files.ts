import { existsSync, type Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { parseAnswerKey, type AnswerKey } from './answer-key.ts'
import { parseRecording, unreadable, type Recording } from '@steploop/conformance/cli'

export interface TrafficFolder {
  readonly directory: string
  /** Recordings, as paths from the folder with `/`, sorted. */
  readonly files: readonly string[]
  /** `undefined`: the folder has no `EXPECTED.json`. */
  readonly key: AnswerKey | undefined
}

const keyFile = 'EXPECTED.json'

/** Files that describe the recordings; they stand at the top. */
const describing = new Set(['INDEX.json', keyFile, 'EXPECTED-SKIPPED.json'])

/**
 * Lists the recordings of a folder and reads its answer key.
 *
 * @throws HarnessError `unreadable-input` when the folder is missing or unreadable, or the key is broken
 */
export async function openTraffic(directory: string): Promise<TrafficFolder> {
  const files = await listRecordings(directory)
  return { directory, files, key: await readKey(directory) }
}

async function readKey(directory: string): Promise<AnswerKey | undefined> {
  const path = join(directory, keyFile)
  if (!existsSync(path)) return undefined
  return parseAnswerKey(await readJson(directory, keyFile), path)
}

/** @throws HarnessError `unreadable-input` that names the file */
export async function readRecording(directory: string, file: string): Promise<Recording> {
  return parseRecording(await readJson(directory, file), file)
}

async function readJson(directory: string, file: string): Promise<string> {
  const path = join(directory, ...file.split('/'))
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw unreadable(path, `cannot be read (${reasonOf(cause)}). Check its permissions.`, cause)
  }
}

async function listRecordings(directory: string): Promise<readonly string[]> {
  let entries: Dirent[]
  try {
    entries = await readdir(directory, { recursive: true, withFileTypes: true })
  } catch (cause) {
    throw unreadable(
      directory,
      `cannot be read (${reasonOf(cause)}). Give the folder that holds the recordings.`,
      cause,
    )
  }
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !describing.has(file))
    .toSorted()
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
