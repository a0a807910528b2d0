import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineSubject, HarnessError, type Subject } from '@steploop/conformance'
import { foreignOutputToStderr } from '../processes/foreign-output.ts'

/** What `steploop.config.ts` exports as its default. A file may also export one subject. */
export interface SteploopConfig {
  readonly subjects: readonly Subject[]
}

export interface LoadedConfig extends SteploopConfig {
  /** Absolute path of the file. */
  readonly file: string
  /** Folder of the config: relative paths of the commands start here. */
  readonly root: string
}

const names = ['steploop.config.ts', 'steploop.config.mts', 'steploop.config.js', 'steploop.config.mjs']

/**
 * Loads `file`, or the nearest `steploop.config.*` from `directory` upwards.
 *
 * @throws HarnessError `config`, with the file's name and the fix, when there is none or it does not export subjects
 */
export async function loadConfig(file: string | undefined, directory = process.cwd()): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig(directory) : resolve(directory, file)
  if (!existsSync(path)) throw broken(path, 'does not exist. Give the right path.')
  if (statSync(path).isDirectory()) throw broken(path, 'is a folder. Give the file in it.')
  let module: unknown
  try {
    module = await foreignOutputToStderr(async (): Promise<unknown> => import(pathToFileURL(path).href))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw broken(path, `cannot be loaded: ${reason}${locationOf(cause)}. ${fixOf(cause)}`, cause)
  }
  return { subjects: subjectsOf(module, path), file: path, root: dirname(path) }
}

/** https://nodejs.org/api/errors.html#nodejs-error-codes */
function fixOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  // Types are left out without a flag since https://nodejs.org/en/blog/release/v22.18.0
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `This is Node ${process.versions.node}: use 22.18 or newer, which runs TypeScript.`
  if (code === 'ERR_MODULE_NOT_FOUND') return 'Fix the import, or install what it names (`npm install`).'
  return 'Fix it, or what it imports.'
}

/** Where the error comes from: the first location in a file of somebody, in the stack that the runtime gives. */
function locationOf(cause: unknown): string {
  const stack = cause instanceof Error ? (cause.stack ?? '') : ''
  const locations = [...stack.matchAll(/file:\/\/[^\s()]+?:\d+(?::\d+)?|^\/[^\s()]+:\d+$/gm)].map(
    ([location]) => location,
  )
  const [location] = locations.filter((one) => !one.includes(import.meta.url))
  return location === undefined ? '' : ` (${location.replace('file://', '')})`
}

function findConfig(directory: string): string {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).find((path) => existsSync(path))
    if (found !== undefined) return found
    if (folder === dirname(folder)) break
  }
  const fix = `Write one that exports \`{ subjects: [defineSubject(...)] }\` as its default, or give its path.`
  throw new HarnessError('config', `No steploop.config.ts in ${directory} or above. ${fix}`)
}

function subjectsOf(module: unknown, path: string): readonly Subject[] {
  const exported = memberOf(module, 'default') ?? module
  const subjects = memberOf(exported, 'subjects') ?? oneSubject(module, exported)
  if (!Array.isArray(subjects) || subjects.length === 0) {
    throw broken(path, 'does not export subjects. Its default export has to be `{ subjects: [defineSubject(...)] }`.')
  }
  const seen = new Set<string>()
  return subjects.map((subject: unknown) => {
    const checked = checkSubject(subject, path)
    if (seen.has(checked.name)) throw broken(path, `has two subjects with the name '${checked.name}'. Rename one.`)
    seen.add(checked.name)
    return checked
  })
}

/** A file with nothing but a subject, as its default export or by the name `subject`. */
function oneSubject(module: unknown, exported: unknown): readonly unknown[] {
  const one = memberOf(module, 'subject') ?? exported
  const isSubject = ['adapter', 'turnScript'].some((name) => typeof memberOf(one, name) === 'function')
  return isSubject ? [one] : []
}

function checkSubject(subject: unknown, path: string): Subject {
  if (typeof subject !== 'object' || subject === null) {
    throw broken(path, `lists ${String(subject)} as a subject. Make each one with \`defineSubject(...)\`.`)
  }
  try {
    // Checked by `defineSubject`, which throws for whatever is not a subject.
    return defineSubject(subject as Subject)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw broken(path, `has a subject that cannot be used: ${reason}.`, cause)
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function broken(file: string, message: string, cause?: unknown): HarnessError {
  return new HarnessError('config', `The config file ${file} ${message}`, { file, cause })
}
