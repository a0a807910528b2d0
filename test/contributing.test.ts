import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { repository } from './source-files.ts'
import { readPackage, readWorkspace } from './workspace.ts'

const text = readFileSync(resolve(repository, 'CONTRIBUTING.md'), 'utf8')
const rows = text
  .slice(text.indexOf('## Dependencies'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
const explained = new Set(rows.flatMap((row) => codeIn(row.split('|')[1] ?? '')))
const packages = [readPackage('package.json'), ...readWorkspace()]
const ours = new Set(packages.map(({ name }) => name))

function codeIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
}

test('every dependency of every package says in CONTRIBUTING.md what it saves', () => {
  const named = packages.flatMap((found) => [
    ...Object.keys(found.dependencies),
    ...Object.keys(found.peerDependencies),
    ...Object.keys(found.devDependencies),
  ])
  const foreign = new Set(named.filter((name) => !ours.has(name)))
  expect(
    [...foreign].filter((name) => !explained.has(name)),
    'dependencies without a line',
  ).toEqual([])
  expect(
    [...explained].filter((name) => !foreign.has(name)),
    'lines about dependencies that are gone',
  ).toEqual([])
})

test('every command that CONTRIBUTING.md names is a script of the workspace', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(resolve(repository, 'package.json'), 'utf8')))
  const commands = [...text.matchAll(/\bpnpm ([a-z:]+)/g)].map((match) => match[1] ?? '')
  expect(commands.length).toBeGreaterThan(10)
  expect(commands.filter((command) => command !== 'exec' && scripts[command] === undefined)).toEqual([])
})
