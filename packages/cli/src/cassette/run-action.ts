import { CassetteError } from '@steploop/cassette'
import { exitCodes } from '../command/exit-codes.ts'
import { writeReport } from '../command/write-report.ts'

/** Makes a command's action: its result is the exit code; a CassetteError is a finding when it is about secrets, otherwise unreadable input. */
export function action<Words extends readonly unknown[]>(
  run: (...words: Words) => number | Promise<number>,
): (...words: Words) => Promise<void> {
  return async (...words) => {
    try {
      process.exitCode = await run(...words)
    } catch (error) {
      if (!CassetteError.isInstance(error)) throw error
      console.error(`steploop: ${error.message}`)
      process.exitCode = error.code === 'secret-found' ? exitCodes.finding : exitCodes.usage
    }
  }
}

/** The option that every command has. */
export const jsonOption = [
  '--json <FILE>',
  'write the result as JSON; - is stdout, which then holds nothing else',
] as const

/** Prints for people, and writes JSON where it was asked for. */
export async function output(text: string, value: unknown, json: string | undefined): Promise<void> {
  if (json !== '-') process.stdout.write(text)
  if (json !== undefined) await writeReport(json, `${JSON.stringify(value, undefined, 2)}\n`)
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
