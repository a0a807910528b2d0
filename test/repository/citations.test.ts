import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { brokenCitations } from './doc-anchors.ts'
import { findFiles, repository } from './source-files.ts'

test('every page and heading that a source, a cassette or a settings file cites exists', () => {
  const files = ['**/*.ts', '**/*.yaml', '**/*.json', '.oxlintrc.json', '**/*.md'].flatMap((pattern) =>
    findFiles(pattern),
  )
  const own = files.filter((path) => path !== 'test/repository/citations.test.ts' && !path.startsWith('.changeset/'))
  expect(own.length).toBeGreaterThan(1000)
  const broken = own.flatMap((path) =>
    brokenCitations(readFileSync(resolve(repository, path), 'utf8')).map((cited) => `${path}: ${cited}`),
  )
  expect(broken).toEqual([])
})

test.each([
  ['docs/wire.md#no-such-heading', ['docs/wire.md#no-such-heading']],
  ['docs/no-such-page.md', ['docs/no-such-page.md']],
  ['WIRE C6, and (DESIGN 4)', ['WIRE C6', 'DESIGN 4']],
])('a citation is broken: %s', (text, broken) => {
  expect(brokenCitations(text)).toEqual(broken)
})

test.each(['docs/wire.md#chat-usage', 'docs/wire.md.', 'https://github.com/ollama/ollama/blob/main/docs/api.md#chat'])(
  'a citation that leads to a page or a heading is whole: %s',
  (text) => expect(brokenCitations(text)).toEqual([]),
)
