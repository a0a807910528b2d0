import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

const repository = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const restricted = 'eslint(no-restricted-imports)'

/** Modules that import what they must not: path, and what they import. */
const importing: readonly (readonly [title: string, path: string, module: string])[] = [
  ['core importing an adapter', 'packages/core/src/a.ts', '@steploop/openai'],
  ['core importing cassette', 'packages/core/src/c.ts', '@steploop/cassette/fetch'],
  ['core importing a node: module', 'packages/core/src/d.ts', 'node:fs'],
  ['core importing a bare builtin', 'packages/core/src/e.ts', 'fs'],
  ['core importing a dev dependency', 'packages/core/src/f.ts', 'zod'],
  ['core escaping into a sibling', 'packages/core/src/h.ts', '../../cassette/src/index.ts'],
  ['a core test importing an adapter', 'packages/core/src/j.test.ts', '@steploop/openai'],
  ['an adapter importing conformance', 'packages/adapters/a/src/a.ts', '@steploop/conformance'],
  ['an adapter importing cassette', 'packages/adapters/a/src/b.ts', '@steploop/cassette'],
  ['an adapter importing the policies', 'packages/adapters/a/src/i.ts', '@steploop/core/policies'],
  ['an adapter importing core/testing', 'packages/adapters/a/src/c.ts', '@steploop/core/testing'],
  ['an adapter importing the inside of another', 'packages/adapters/a/src/d.ts', '@steploop/b/wire'],
  ['an adapter escaping into another', 'packages/adapters/a/src/e.ts', '../../b/src/wire.ts'],
  ['an adapter importing a node: module', 'packages/adapters/a/src/f.ts', 'node:util'],
  ['an adapter running a vendor SDK', 'packages/adapters/a/src/g.ts', '@vendor/sdk'],
  ['an adapter test importing conformance', 'packages/adapters/a/src/h.test.ts', '@steploop/conformance/vitest'],
  ['chat importing the protocol’s library', 'packages/chat/src/a.ts', 'ai'],
  ['chat importing a node: module', 'packages/chat/src/b.ts', 'node:fs'],
  ['mcp starting a process', 'packages/mcp/src/a.ts', '@modelcontextprotocol/client/stdio'],
  ['otel importing an SDK', 'packages/otel/src/a.ts', '@opentelemetry/sdk-trace'],
  ['otel importing a node: module', 'packages/otel/src/b.ts', 'node:fs'],
  ['mcp importing a node: module', 'packages/mcp/src/b.ts', 'node:fs'],
  ['store importing a node: module', 'packages/store/src/a.ts', 'node:sqlite'],
  ['server importing a node: module', 'packages/server/src/a.ts', 'node:http'],
  ['server importing what listens', 'packages/server/src/b.ts', '@hono/node-server'],
  ['cassette importing core', 'packages/cassette/src/a.ts', '@steploop/core'],
  ['a cassette test importing core', 'packages/cassette/src/b.test.ts', '@steploop/core'],
  ['conformance importing an adapter', 'conformance/src/a.ts', '@steploop/anthropic'],
  ['a conformance test importing an adapter', 'conformance/test/b.test.ts', '@steploop/anthropic'],
  ['conformance importing the subjects', 'conformance/src/c.ts', '../../steploop.config.ts'],
  ['conformance importing one subject', 'conformance/src/f.ts', '../../subjects/openai.ts'],
  ['conformance importing the command line', 'conformance/src/d.ts', 'steploop'],
  ['conformance importing the lab', 'conformance/src/e.ts', '@steploop/lab'],
  ['the lab importing an adapter', 'lab/src/a.ts', '@steploop/openai'],
  ['the lab importing the command line', 'lab/src/b.test.ts', 'steploop'],
  ['the lab reaching into conformance', 'lab/src/c.ts', '../../conformance/src/json.ts'],
  ['the command line importing an adapter', 'packages/cli/src/a.ts', '@steploop/openai'],
  ['a benchmark reaching into a package', 'bench/a.ts', '../packages/core/src/run/engine.ts'],
]

/** Modules that break a rule: path, source, the rule that must report it. */
const wrong: readonly (readonly [title: string, path: string, source: string, rule: string])[] = [
  ...importing.map(([title, path, module]) => [title, path, `export { x } from '${module}'`, restricted] as const),
  ['core importing an adapter type', 'packages/core/src/b.ts', `export type { X } from '@steploop/openai'`, restricted],
  ['core importing lazily', 'packages/core/src/g.ts', `export const x = import('@steploop/openai')`, restricted],
  ['core reading process', 'packages/core/src/i.ts', `export const x = process.pid`, 'eslint(no-restricted-globals)'],
  [
    'the command line importing an adapter lazily',
    'packages/cli/src/b.ts',
    `export const x = import('@steploop/xai')`,
    restricted,
  ],
  ['a cycle', 'packages/core/src/k.ts', `export { x } from './l.ts'`, 'import(no-cycle)'],
  [
    'a cycle of types',
    'conformance/src/types-k.ts',
    `import type { X } from './types-l.ts'\nexport type Y = X[]`,
    'import(no-cycle)',
  ],
  [
    'a floating promise',
    'packages/core/src/m.ts',
    `export function f() { Promise.resolve(1) }`,
    'typescript(no-floating-promises)',
  ],
  ['any', 'packages/core/src/n.ts', `export const x = (y: any) => [y]`, 'typescript(no-explicit-any)'],
]

/** Modules that keep the rules: nothing may be reported. */
const right: readonly (readonly [path: string, source: string])[] = [
  ['packages/adapters/a/src/j.ts', `export { isObject } from '@steploop/core/adapter'`],
  ['packages/core/src/testing/scripted.ts', `export { createSseFramer } from '../framing.ts'`],
  ['packages/core/src/wire/framing.test.ts', `export { readFileSync } from 'node:fs'\nexport { z } from 'zod'`],
  ['packages/adapters/a/src/ok.ts', `export { x } from '@steploop/core'\nexport { y } from '@steploop/b'`],
  ['packages/adapters/a/src/types.ts', `export type { X } from '@vendor/sdk/resources'`],
  [
    'packages/adapters/a/src/ok.test.ts',
    `export { x } from '@steploop/cassette/fetch'\nexport { y } from '@steploop/core/testing'`,
  ],
  ['packages/adapters/a/src/testing.ts', `export { x } from '@steploop/cassette/fetch'`],
  [
    'packages/cassette/src/ok.ts',
    `export { x } from 'yaml'\nexport { z } from 'zod'\nexport { readFile } from 'node:fs/promises'`,
  ],
  ['conformance/src/ok.ts', `export { x } from '@steploop/core'\nexport { y } from '@steploop/cassette/server'`],
  ['conformance/test/ok.test.ts', `export { x } from '../src/ok.ts'`],
  ['lab/src/ok.ts', `export { x } from '@steploop/conformance/cli'\nexport { y } from '@steploop/cassette/import'`],
  ['packages/cli/src/ok.ts', `export { x } from '@steploop/lab'\nexport { Command } from 'commander'`],
  ['subjects/ok.ts', `export { openai } from '@steploop/openai'`],
  ['bench/ok.ts', `export { openai } from '@steploop/openai'`],
]

const Report = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) })
const scratch = mkdtempSync(join(tmpdir(), 'steploop-lint-'))
const reported = new Map<string, string[]>()

function write(path: string, source: string): void {
  mkdirSync(dirname(join(scratch, path)), { recursive: true })
  writeFileSync(join(scratch, path), `${source}\n`)
}

async function lint(): Promise<string> {
  const oxlint = join(repository, 'node_modules/.bin/oxlint')
  const path = `${join(repository, 'node_modules/.bin')}:${process.env['PATH']}`
  // oxlint exits 1 when it reports something, which is what most of these files are for.
  const outcome = await run(oxlint, ['--type-aware', '-f', 'json'], {
    cwd: scratch,
    env: { ...process.env, PATH: path },
  }).catch((error: unknown) => z.object({ stdout: z.string() }).parse(error))
  return outcome.stdout
}

beforeAll(async () => {
  copyFileSync(join(repository, '.oxlintrc.json'), join(scratch, '.oxlintrc.json'))
  write(
    'tsconfig.json',
    '{ "compilerOptions": { "module": "NodeNext", "strict": true, "allowImportingTsExtensions": true, "noEmit": true, "types": [] } }',
  )
  write('packages/core/src/l.ts', `export { x as y } from './k.ts'\nexport const x = 1`)
  write('conformance/src/types-l.ts', `import type { Y } from './types-k.ts'\nexport interface X { readonly y: Y }`)
  for (const [, path, source] of wrong) write(path, source)
  for (const [path, source] of right) write(path, source)
  for (const { filename, code } of Report.parse(JSON.parse(await lint())).diagnostics) {
    reported.set(filename, [...(reported.get(filename) ?? []), code])
  }
})

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true })
})

test.for(wrong)('lint refuses %s', ([, path, , rule]) => {
  expect(reported.get(path)).toContain(rule)
})

test.for(right)('lint accepts the imports of %s', ([path]) => {
  expect(reported.get(path)).toBeUndefined()
})
