import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { HarnessError } from '@steploop/conformance'

/**
 * Writes a report whole or not at all; `-` is stdout.
 *
 * @throws HarnessError `usage` that names the file when it cannot be written
 */
export async function writeReport(file: string, text: string): Promise<void> {
  if (file === '-') {
    process.stdout.write(text)
    return
  }
  const path = resolve(file)
  const scratch = `${path}.${process.pid}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(scratch, text)
    await rename(scratch, path)
  } catch (cause) {
    await rm(scratch, { force: true }).catch(() => undefined)
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new HarnessError('usage', `The report cannot be written to ${path} (${said}). Give another file.`, { cause })
  }
}
