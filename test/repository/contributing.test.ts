import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { repository } from './source-files.ts'
import { readPackage, readWorkspace } from './workspace.ts'

const read = (path: string): string => readFileSync(resolve(repository, path), 'utf8')
const lines = read('docs/dependencies.md')
  .split('\n')
  .filter((line) => line.startsWith('- `'))
const named = lines.flatMap((line) => codeIn(line.slice(0, line.indexOf(' ('))))
const explained = new Set(named)
const packages = [readPackage('package.json'), ...readWorkspace()]
const ours = new Set(packages.map(({ name }) => name))

function codeIn(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
}

test('every dependency of every package says in docs/dependencies.md what it saves, once', () => {
  const used = packages.flatMap((found) => [
    ...Object.keys(found.dependencies),
    ...Object.keys(found.peerDependencies),
    ...Object.keys(found.devDependencies),
  ])
  const foreign = new Set(used.filter((name) => !ours.has(name)))
  expect(
    [...foreign].filter((name) => !explained.has(name)),
    'dependencies without a line',
  ).toEqual([])
  expect(
    [...explained].filter((name) => !foreign.has(name)),
    'lines about dependencies that are gone',
  ).toEqual([])
  expect(named).toHaveLength(explained.size)
})

test('every command that CONTRIBUTING.md and docs/commands.md name is a script of the workspace', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(resolve(repository, 'package.json'), 'utf8')))
  const pages = read('CONTRIBUTING.md') + read('docs/commands.md')
  const commands = [...pages.matchAll(/\bpnpm ([a-z:-]+)/g)].map((match) => match[1] ?? '')
  expect(commands.length).toBeGreaterThan(10)
  expect(
    commands.filter((command) => !['exec', 'install'].includes(command) && scripts[command] === undefined),
  ).toEqual([])
})
