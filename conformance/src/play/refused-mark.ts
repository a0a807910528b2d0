import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CassetteError } from '@steploop/cassette'
import { headOf } from './head-of.ts'

/** Path of the mark beside a cassette that could not be written. */
function markOf(cassette: string): string {
  return cassette.replace(/\.yaml$/, '.refused.txt')
}

/**
 * Leaves a mark where a cassette would stand if its recording had not been refused: until one is written the case is red, even where
 * nobody could be asked for it otherwise. A cassette that is there already goes on to judge the adapter.
 *
 * @throws {CassetteError} `write-failed`; then there is no half of a mark
 */
export function markRefused(cassette: string, problems: readonly string[]): void {
  if (existsSync(cassette)) return
  // What follows in a message may be what the provider sent.
  const lines = problems.map((problem) => problem.split('\n')[0])
  const file = markOf(cassette)
  try {
    mkdirSync(dirname(cassette), { recursive: true })
    writeFileSync(file, `${lines.join('\n')}\n`)
  } catch (cause) {
    rmSync(file, { force: true })
    const what = `It cannot be noted that the recording was refused: ${String(cause)}.`
    throw new CassetteError('write-failed', {
      file,
      what,
      fix: 'Check the folder, and that its disk is not full.',
      cause,
    })
  }
}

export function clearMark(cassette: string): void {
  rmSync(markOf(cassette), { force: true })
}

/** Why the recording was refused; `undefined` when it was not. */
export function refusalOf(cassette: string): string | undefined {
  const mark = markOf(cassette)
  if (!existsSync(mark)) return undefined
  // It may hold anything, and it goes to a terminal.
  return (
    headOf(mark, 4_000)
      .replaceAll(/[^\P{C}\n]|\uFFFD/gu, '')
      .trim() || 'nobody can read why'
  )
}
