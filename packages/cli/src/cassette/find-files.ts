import { readdirSync, readFileSync, statSync, type Dirent, type Stats } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HarnessError } from '@steploop/conformance'
import { startProgress } from '../command/progress.ts'

/** A file that was named, or found in a folder that was named. */
export interface FoundFile {
  /** Path as it can be opened. */
  readonly path: string
  /** For people: from the current directory, with `/`. */
  readonly shown: string
  /** Path inside the named folder, with `/`; undefined when the file itself was named. */
  readonly inside: string | undefined
}

const left = new Set(['node_modules', '.git'])

/**
 * The named files, and all files in the named folders, in the order of their names.
 *
 * @throws HarnessError `unreadable-input` for what is not there or cannot be read
 */
export function findFiles(paths: readonly string[]): readonly FoundFile[] {
  return paths.flatMap((path): FoundFile[] => {
    if (!stats(path).isDirectory()) return [{ path, shown: shownPath(path), inside: undefined }]
    return filesIn(path).map((file) => ({
      path: file,
      shown: shownPath(file),
      inside: relative(path, file).split(sep).join('/'),
    }))
  })
}

/** What is made of each file, one after the other; on stderr how far it is. */
export function mapFiles<Made>(files: readonly FoundFile[], make: (file: FoundFile) => Made): readonly Made[] {
  const progress = startProgress()
  const made = files.map((file, index) => {
    progress.begin(index + 1, files.length, file.shown)
    return make(file)
  })
  progress.end()
  return made
}

export const isCassetteName = (name: string): boolean => /\.ya?ml$/.test(name)

/**
 * Cassette files only: a folder gives its `*.yaml`.
 *
 * @throws HarnessError `unreadable-input`, also when there is none
 */
export function findCassettes(paths: readonly string[]): readonly FoundFile[] {
  const files = findFiles(paths).filter(({ inside }) => inside === undefined || isCassetteName(inside))
  if (files.length > 0) return files
  throw new HarnessError('unreadable-input', `${paths.join(', ')}: no cassettes (*.yaml) there. Give the right folder.`)
}

/** @throws HarnessError `unreadable-input` */
export function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

export const isDirectory = (path: string): boolean => stats(path).isDirectory()

export function shownPath(path: string): string {
  const shown = relative('.', path)
  return (shown === '' ? '.' : shown.startsWith('..') ? path : shown).split(sep).join('/')
}

function stats(path: string): Stats {
  try {
    return statSync(path)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function filesIn(folder: string): readonly string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    throw unreadable(folder, cause)
  }
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return left.has(entry.name) ? [] : filesIn(path)
      return entry.isFile() ? [path] : []
    })
}

function unreadable(path: string, cause: unknown): HarnessError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  const fix = code === 'ENOENT' ? 'Check the path.' : 'Check its permissions.'
  return new HarnessError('unreadable-input', `${path} cannot be read (${code}). ${fix}`, { file: path, cause })
}
