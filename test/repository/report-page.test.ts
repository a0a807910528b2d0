import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseKnownFailures } from '@steploop/conformance'
import { reportSchema } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { findFiles, repository } from './source-files.ts'

const read = (path: string): string => readFileSync(resolve(repository, path), 'utf8')
const page = read('docs/read-a-report.md')

function idsIn(files: string, id: RegExp): readonly string[] {
  const texts = findFiles(`conformance/src/${files}`)
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read)
  return texts.flatMap((text) => [...text.matchAll(id)].map((match) => match[1]!))
}

const anyId = /\bid: '([^']+)'/g
/** Variants of a stressor have ids too. */
const stressorId = /: Stressor = \{\n {2}id: '([^']+)'/g

/** The words in code of a table's column. */
function column(heading: string, index: number): readonly string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (-|:)/.test(line))
  return rows.slice(1).flatMap((row) => [...row.split('|')[index]!.matchAll(/`#?([^`]+)`/g)].map(([, word]) => word!))
}

test('the page has every verdict of the report', () => {
  const { verdict } = reportSchema.shape.cases.element.shape
  expect(column('The matrix', 2).toSorted()).toEqual([...verdict.options].toSorted())
})

test('the page has every check that all cases go through, and every stressor', () => {
  const checks = [...idsIn('judge/*.ts', anyId), ...idsIn('play/watch-process.ts', anyId)]
  expect(column('Checks of every case', 1).toSorted()).toEqual(checks.toSorted())
  const stressors = idsIn('stress/*.ts', stressorId)
  expect(stressors.length).toBeGreaterThan(10)
  expect(column('Stressors', 1).toSorted()).toEqual(stressors.toSorted())
})

test('the known failure on the page is one that can be read', () => {
  const yaml = /```yaml\n([^]*?)```/.exec(page)?.[1] ?? ''
  expect(parseKnownFailures(yaml, 'known-failures.yaml')).toMatchObject([
    { check: 'acme/parallel-calls/stream#golden' },
  ])
})
