import { styleText } from 'node:util'
import { join } from 'node:path'
import { readCassette } from '@steploop/cassette'
import { diffCassettes, type CassetteDifference } from '@steploop/cassette/inspect'
import { HarnessError } from '@steploop/conformance'
import { conversationDiff, printable } from '@steploop/lab'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { findCassettes, isDirectory } from './find-files.ts'
import { hasColours } from '../command/colours.ts'
import { action, count, jsonOption, output } from './run-action.ts'

interface DiffFlags {
  readonly header?: boolean | undefined
  readonly limit: string
  readonly json?: string | undefined
}

interface FileDiff {
  readonly file: string
  readonly differences: readonly CassetteDifference[]
}

export function registerDiff(program: Command): void {
  program
    .command('diff')
    .description('compare two cassettes, or two folders of them, by what they say; exit 1 when they differ')
    .addHelpText(
      'after',
      '\nIds are aliased by first appearance; times, durations, token counts and rate limits are masked; streams are folded.',
    )
    .argument('<A>', 'cassette or folder')
    .argument('<B>', 'cassette or folder')
    .option('--no-header', 'without the facts of the header')
    .option('--limit <N>', 'differences shown per file', '20')
    .option(...jsonOption)
    .action(action(diff))
}

async function diff(left: string, right: string, flags: DiffFlags): Promise<number> {
  const limit = Number(flags.limit)
  if (!Number.isInteger(limit) || limit < 1) throw new HarnessError('usage', `--limit '${flags.limit}' is no count.`)
  const diffs = pairs(left, right).map((pair) => compare(pair, flags.header !== false))
  const different = diffs.filter(({ differences }) => differences.length > 0)
  const text = different.map((one) => printDiff(one, limit)).join('\n')
  const summary = `${count(diffs.length, 'file')} compared, ${different.length} different\n`
  await output(`${text}${text === '' ? '' : '\n'}${summary}`, { files: diffs }, flags.json)
  return different.length === 0 ? exitCodes.expected : exitCodes.finding
}

interface Pair {
  readonly name: string
  readonly left: string | undefined
  readonly right: string | undefined
}

function pairs(left: string, right: string): readonly Pair[] {
  const folders = [isDirectory(left), isDirectory(right)]
  if (!folders[0] && !folders[1]) return [{ name: right, left, right }]
  if (folders[0] !== folders[1]) throw new HarnessError('usage', 'Give two cassettes or two folders, not one of each.')
  const [ours, theirs] = [left, right].map((folder) => findCassettes([folder]).map(({ inside = '' }) => inside))
  const names = [...new Set([...(ours ?? []), ...(theirs ?? [])])].toSorted()
  return names.map((name) => ({
    name,
    left: ours?.includes(name) ? join(left, name) : undefined,
    right: theirs?.includes(name) ? join(right, name) : undefined,
  }))
}

function compare({ name, left, right }: Pair, withHeader: boolean): FileDiff {
  if (left === undefined) return { file: name, differences: [{ path: 'file', right: 'only in B' }] }
  if (right === undefined) return { file: name, differences: [{ path: 'file', left: 'only in A' }] }
  const differences = diffCassettes(readCassette(left), readCassette(right), conversationDiff)
  return { file: name, differences: differences.filter(({ path }) => withHeader || !path.startsWith('header')) }
}

function printDiff({ file, differences }: FileDiff, limit: number): string {
  const colour = (style: 'red' | 'green', text: string): string =>
    hasColours() ? styleText(style, text, { validateStream: false }) : text
  const lines = differences
    .slice(0, limit)
    .flatMap((one) => [
      `  ${printable(one.path)}`,
      ...('left' in one ? [colour('red', `    - ${excerpt(one.left)}`)] : []),
      ...('right' in one ? [colour('green', `    + ${excerpt(one.right)}`)] : []),
    ])
  const more = differences.length - limit
  return [file, ...lines, ...(more > 0 ? [`  and ${more} more`] : []), ''].join('\n')
}

const excerptLength = 200

function excerpt(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'undefined')
  return text.length <= excerptLength ? text : `${text.slice(0, excerptLength)} ... (${text.length} characters)`
}
