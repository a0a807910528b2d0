import { existsSync, realpathSync, statSync } from 'node:fs'
import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { HarnessError } from '@steploop/conformance'

/**
 * Finds out before a run, which takes its time, what would keep its reports from being written at its end.
 *
 * @param files by option; `-` is stdout, which only one of them may have
 * @throws HarnessError `usage` that names the option and the fix, also for one file that two options name
 */
export async function checkReportFiles(files: Readonly<Record<string, string | undefined>>): Promise<void> {
  const given = Object.entries(files).flatMap(([option, file]) => (file === undefined ? [] : [{ option, file }]))
  const [first, second] = given.filter(({ file }) => file === '-')
  if (first !== undefined && second !== undefined) {
    throw new HarnessError('usage', `Give - to ${first.option} or to ${second.option}, not to both.`)
  }
  refuseShared(given.filter(({ file }) => file !== '-'))
  for (const { option, file } of given) {
    const problem = file === '-' ? undefined : await pathProblem(file)
    if (problem !== undefined) throw new HarnessError('usage', `${option} '${file}' ${problem}`)
  }
}

/** Where the file is, whatever becomes the current folder: code of others may change that. */
export function pathOf<File extends string | undefined>(file: File): File | string {
  return file === undefined || file === '-' || file === '' ? file : resolve(file)
}

interface GivenFile {
  readonly option: string
  readonly file: string
}

/** The second report would take the place of the first one. */
function refuseShared(given: readonly GivenFile[]): void {
  const paths = new Map<string, string>()
  for (const { option, file } of given) {
    const path = resolve(file)
    const real = existsSync(path) ? realpathSync(path) : path
    const other = paths.get(real)
    if (other !== undefined && (!existsSync(path) || isPlain(path)))
      throw new HarnessError('usage', `${other} and ${option} are both to be written to '${file}'. Give each a file.`)
    paths.set(real, option)
  }
}

async function pathProblem(file: string): Promise<string | undefined> {
  if (file === '') return 'names no file. Give one, or - for stdout.'
  const path = resolve(file)
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return 'is a folder. Give a file in it.'
    return isPlain(path) ? undefined : writable(path, 'cannot be written. Give another file.')
  }
  const folder = nearestFolder(dirname(path))
  if (!statSync(folder).isDirectory()) return `lies in ${folder}, which is a file. Give another folder.`
  return writable(folder, `lies in ${folder}, where nothing can be written. Give another folder.`)
}

async function writable(path: string, problem: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK)
    return undefined
  } catch {
    return problem
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(dirname(folder))
}

/** A device or a pipe (`/dev/stderr`, `>(...)`) has to be written to: a file that takes its place would destroy it. */
function isPlain(path: string): boolean {
  return statSync(path).isFile()
}

/**
 * Writes a report whole or not at all; `-` is stdout. A link stays one: the file behind it is written.
 *
 * @throws HarnessError `usage` that names the file when it cannot be written
 */
export async function writeReport(file: string, text: string): Promise<void> {
  if (file === '-') {
    process.stdout.write(text)
    return
  }
  const path = resolve(file)
  try {
    if (!existsSync(path)) await makeFolder(dirname(path))
    if (existsSync(path) && !isPlain(path) && !statSync(path).isDirectory()) await writeFile(path, text)
    else await writeWhole(existsSync(path) ? realpathSync(path) : path, text)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new HarnessError('usage', `The report cannot be written to ${path} (${code}). Give another file.`, { cause })
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const scratch = `${path}.${process.pid}.tmp`
  try {
    await writeFile(scratch, text)
    await rename(scratch, path)
  } catch (error) {
    await rm(scratch, { force: true }).catch(() => undefined)
    throw error
  }
}

/** One after the other: Node's own way never ends where a folder is there but takes none, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeFolder(dirname(folder))
  await mkdir(folder).catch((error: unknown) => {
    // Another process may have made it in between.
    if (!existsSync(folder)) throw error
  })
}
