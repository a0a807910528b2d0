import type { Cassette } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { fileSystem } from '../platform.ts'
import { assertNoSecrets, type ScanOptions } from '../redaction/scan-cassette.ts'
import { parseCassette } from '../format/parse-cassette.ts'
import { printCassette } from '../format/print-cassette.ts'

/**
 * Reads a cassette file, synchronously.
 *
 * @throws {CassetteError} `missing` when there is no readable file, otherwise what {@link parseCassette} throws.
 */
export function readCassette(path: string): Cassette {
  let bytes: Uint8Array
  try {
    bytes = fileSystem().readFileSync(path)
  } catch (cause) {
    if (CassetteError.isInstance(cause)) throw cause
    const what = `The cassette cannot be read (${reason(cause)}).`
    throw new CassetteError('missing', { file: path, what, fix: 'Check the path, or record the cassette.', cause })
  }
  return parseCassette(decode(bytes, path), path)
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    const fix = 'Restore the file from version control or record it anew.'
    throw new CassetteError('syntax', { file, what: 'The file is not valid UTF-8.', fix, cause })
  }
}

export type WriteOptions = Pick<ScanOptions, 'env'>

/**
 * Writes a cassette file so that a reader, or a crash, meets either the old file or the whole new one: the text goes to a scratch file
 * in the same folder, is flushed to the disk, and takes the name in one step. Missing folders are made. The cassette is scanned for
 * secrets first; there is no way around that.
 *
 * @throws {CassetteError} `secret-found` or `write-failed`; the old file is then untouched and no scratch file is left.
 */
export function writeCassette(path: string, cassette: Cassette, options: WriteOptions = {}): void {
  assertNoSecrets(cassette, { ...options, fileName: path })
  const files = fileSystem()
  const text = printCassette(cassette)
  const slash = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  const folder = slash === -1 ? '.' : path.slice(0, slash + 1)
  const scratch = `${path}.${crypto.randomUUID().slice(0, 8)}.scratch`
  try {
    files.mkdirSync(folder, { recursive: true })
    removeStaleScratch(path, folder)
    writeFlushed(scratch, text)
    files.renameSync(scratch, path)
  } catch (cause) {
    removeIfThere(scratch)
    const what = `The cassette cannot be written (${reason(cause)}).`
    throw new CassetteError('write-failed', { file: path, what, fix: fixOf(reason(cause)), cause })
  }
  flushFolder(folder)
}

const staleAfterMs = 60_000

// A killed process cannot tidy up after itself, so the next write of the same cassette does; younger files may belong to a living one.
function removeStaleScratch(path: string, folder: string): void {
  const files = fileSystem()
  const prefix = `${path.slice(folder === '.' ? 0 : folder.length)}.`
  for (const name of files.readdirSync(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.scratch')) continue
    const scratch = `${folder}/${name}`
    const age = Date.now() - (files.statSync(scratch, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > staleAfterMs) files.rmSync(scratch, { force: true })
  }
}

// Where the folder is no folder there is no scratch file either, and what is said is why the write failed.
function removeIfThere(path: string): void {
  try {
    fileSystem().rmSync(path, { force: true })
  } catch {
    return
  }
}

function writeFlushed(path: string, text: string): void {
  const files = fileSystem()
  const descriptor = files.openSync(path, 'wx')
  try {
    files.writeFileSync(descriptor, text)
    files.fsyncSync(descriptor)
  } finally {
    files.closeSync(descriptor)
  }
}

// The new name is durable only once its folder is. Windows cannot open folders and needs no such thing.
function flushFolder(folder: string): void {
  const files = fileSystem()
  try {
    const descriptor = files.openSync(folder, 'r')
    files.fsyncSync(descriptor)
    files.closeSync(descriptor)
  } catch {
    return
  }
}

function fixOf(code: string): string {
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return isFull ? 'The disk is full: make room there, and record it again.' : 'Check the folder and its permissions.'
}

function reason(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}
