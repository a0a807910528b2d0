import { dirname } from 'node:path'
import { readCassette } from '@steploop/cassette'
import { cassetteStats, type CassetteStats } from '@steploop/cassette/inspect'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { findCassettes, mapFiles, type FoundFile } from './find-files.ts'
import { action, jsonOption, output } from './run-action.ts'

export function registerStats(program: Command): void {
  program
    .command('stats')
    .description('count exchanges, bytes, chunks, origins and ages per folder')
    .argument('[PATHS...]', 'cassettes or folders; default: cassettes')
    .option(...jsonOption)
    .action(action(stats))
}

async function stats(paths: readonly string[], flags: { readonly json?: string | undefined }): Promise<number> {
  const files = findCassettes(paths.length === 0 ? ['cassettes'] : paths)
  const folders = Object.entries(Object.groupBy(files, ({ shown }) => dirname(shown)))
  const rows = folders.map(([folder, group]) => ({ folder, ...statsOf(group ?? []) }))
  const total = { folder: 'all', ...statsOf(files) }
  await output(table([...rows, ...(rows.length > 1 ? [total] : [])]), { folders: rows, total }, flags.json)
  return exitCodes.expected
}

function statsOf(files: readonly FoundFile[]): CassetteStats {
  return cassetteStats(mapFiles(files, ({ path }) => readCassette(path)))
}

type Row = CassetteStats & { readonly folder: string }

const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ['folder', (row) => row.folder],
  ['files', (row) => String(row.files)],
  ['exchanges', (row) => String(row.exchanges)],
  ['sent', (row) => size(row.requestBytes)],
  ['received', (row) => size(row.responseBytes)],
  ['chunks', (row) => String(row.chunks)],
  ['broken', (row) => String(row.broken)],
  ['rebased', (row) => String(row.rebased)],
  [
    'origins',
    (row) =>
      Object.entries(row.origins)
        .map(([kind, files]) => `${kind} ${files}`)
        .join(', '),
  ],
  ['recorded', (row) => (row.oldest === row.newest ? (row.oldest ?? '') : `${row.oldest} to ${row.newest}`)],
]

function table(rows: readonly Row[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const isNumber = (column: number): boolean => column > 0 && column < 8
  return cells
    .map((line) => {
      const padded = line.map((cell, column) => {
        const width = widths[column] ?? 0
        return isNumber(column) ? cell.padStart(width) : cell.padEnd(width)
      })
      return `${padded.join('  ').trimEnd()}\n`
    })
    .join('')
}

function size(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${(bytes / 1000).toFixed(bytes < 1_000_000 ? 0 : 1)} kB`
}
