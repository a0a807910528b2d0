import { expect, test } from 'vitest'
import { judgePublishedFiles, type PublishedPackage } from './published-files.ts'

const good: Record<string, string> = {
  'package.json': '{}',
  'dist/index.js': `export { x } from './x.js'`,
  'dist/index.d.ts': `export { x } from './x.ts'`,
  'dist/x.js': 'export const x = 1',
  'dist/x.d.ts': 'export declare const x = 1',
}

function published(files: Record<string, string>): PublishedPackage {
  return {
    name: '@steploop/sample',
    entries: ['./dist/index.d.ts', './dist/index.js', './package.json'],
    dependencies: new Set(['@steploop/core']),
    usesNode: false,
    files: new Map(Object.entries(files)),
  }
}

test('a package that is complete and imports declared dependencies passes', () => {
  const files = { ...good, 'dist/x.js': `import '@steploop/core'\nexport const x = 1` }
  expect(judgePublishedFiles(published(files))).toEqual([])
})

test.for([
  ['types of a vendor SDK', { 'dist/x.d.ts': `import type { Y } from 'openai'\nexport declare const x: Y` }, 'openai'],
  ['types of a vendor SDK inline', { 'dist/x.d.ts': `export declare const x: import('openai').Y` }, 'openai'],
  ['a reference to types', { 'dist/x.d.ts': `/// <reference types="node" />\nexport declare const x = 1` }, 'node'],
  ['a node: module', { 'dist/x.js': `export { readFile as x } from 'node:fs'` }, 'node:fs'],
  ['a test', { 'dist/x.test.js': '' }, 'dist/x.test.js'],
  ['a helper of tests', { 'dist/testing.js': '' }, 'dist/testing.js'],
  ['a source', { 'src/index.ts': '' }, 'src/index.ts'],
  ['a module that nothing imports', { 'dist/y.js': '' }, 'dist/y.js'],
  ['an entry that exports names of one letter', { 'dist/index.js': `export { x, x as t } from './x.js'` }, 'letter: t'],
  ['a relative import of a missing file', { 'dist/x.js': `export { x } from './z.js'` }, 'dist/z.js'],
] as const)('a package with %s is refused by name', ([, change, named]) => {
  const findings = judgePublishedFiles(published({ ...good, ...change }))
  expect(findings).toHaveLength(1)
  expect(findings[0]).toContain(named)
})

test('a package that does not pack what its entries name is refused', () => {
  const files = { 'package.json': '{}', 'dist/index.js': '' }
  const findings = judgePublishedFiles(published(files)).join('\n')
  expect(findings).toContain('dist/index.d.ts is not packed')
})
