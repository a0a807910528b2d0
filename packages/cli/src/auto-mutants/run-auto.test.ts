import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as parser from 'oxc-parser'
import { expect, onTestFinished, test, vi } from 'vitest'
import { registerMutants } from '../mutants/mutants.ts'
import { runSteploop, scratchFolder, spawnSteploop, standstill } from '../testing.ts'
import type { AutoReport } from './auto-report.ts'
import { findMutations } from './find-mutations.ts'
import { askMutant, type Running } from './judge-mutant.ts'

// Each judge is a process of its own.
vi.setConfig({ testTimeout: 300_000 })

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const conditions = '--conditions=@steploop/source'

const adapter = `import { openai as subject } from ${JSON.stringify(join(repository, 'subjects/openai.ts'))}
import { nameOf } from './name-of.ts'
export function adapter(options) {
  if (options.model === 'never') throw new Error('never')
  return { ...subject.adapter(options), provider: nameOf('openai') }
}
export { subject }
`
const nameOf = 'export function nameOf(name) { return name.trim() }'
const configText = `import { adapter, subject } from './adapter.ts'
export default { subjects: [{ ...subject, name: 'acme', adapter, scenarios: ['text-only'], package: new URL('.', import.meta.url) }] }
`
const testText = `import { expect, test } from 'vitest'
import { nameOf } from './name-of.ts'
test('names are trimmed', () => expect(nameOf(' a ')).toBe('a'))
`

/** A project of one adapter with a unit test of its own. */
function project(): string {
  const folder = scratchFolder()
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const files = { 'adapter.ts': adapter, 'name-of.ts': nameOf, 'steploop.config.ts': configText, 'a.test.ts': testText }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const typed = ['mutants', '--auto', '--json', '-']

/** In this process; the judges are others. */
async function auto(folder: string, ...words: readonly string[]) {
  const { status, out, err } = await runSteploop([registerMutants], [...typed, ...words], folder)
  return { status, err, report: readReport(out) }
}

function readReport(out: string): AutoReport | undefined {
  return out === '' ? undefined : (JSON.parse(out) as AutoReport)
}

/** The id of what an operator does to a file. */
function idOf(operator: string, [file, text]: readonly [string, string]): string {
  const found = findMutations({ name: 'acme', folder: '/acme', file: `/acme/${file}`, text }, parser)
  return found.findLast((one) => one.operator === operator)?.id ?? 'none'
}

// The answer of the adapter is gone; a name with spaces, which only the test knows; a model that nobody asks for.
const bySuite = idOf('return-undefined', ['adapter.ts', adapter])
const byTest = idOf('drop-chain-call', ['name-of.ts', nameOf])
const byNobody = idOf('drop-throw', ['adapter.ts', adapter])

test('mutants are judged by the suite, then by unit tests, and those that survive make the run red; the sources stay as they are', () => {
  const folder = project()
  const before = readdirSync(folder)
  const words = [bySuite, byTest, byNobody].flatMap((id) => ['--only', id])
  const { status, stdout, stderr } = spawnSteploop([...typed, ...words, '--processes', '2'], {}, folder)
  const report = readReport(stdout)
  const judges = new Map(report?.outcomes.map(({ id, noticed }) => [id, noticed?.judge]))
  expect(judges).toEqual(
    new Map([
      [bySuite, 'suite'],
      [byTest, 'unit'],
      [byNobody, undefined],
    ]),
  )
  const ran = report?.outcomes.find(({ id }) => id === byNobody)?.ran
  expect(ran?.slice(0, -1)).toEqual(['suite: never comes there'])
  expect(status).toBe(1)
  expect(stderr).toMatch(/acme: \d+ mutants in 2 files, 3 drawn/)
  expect(readdirSync(folder)).toEqual(before)
  expect(readFileSync(join(folder, 'adapter.ts'), 'utf8')).toBe(adapter)
})

test('a declared mutant is not tried, and its declaration ends with the line that it is about', async () => {
  const folder = project()
  const changed = adapter.replace(`throw new Error('never')`, `throw new Error('none')`)
  const gone = idOf('drop-throw', ['adapter.ts', changed])
  const reasons = { change: 'no throw', kind: 'equivalent', reason: 'nobody asks for the model' }
  const declared = [byNobody, gone].map((id) => ({ id, ...reasons }))
  writeFileSync(join(folder, 'equivalent-mutants.json'), JSON.stringify(declared))
  // By the beginning of its id: by all of it, it would be tried.
  const { status, report } = await auto(folder, '--only', bySuite, '--only', byNobody.slice(0, -1))
  expect(report?.packages).toMatchObject([{ declared: 1, tried: 1 }])
  expect(report?.stale).toEqual([expect.stringContaining(`${gone} (no throw): there is no such mutant any more`)])
  expect(status).toBe(1)
})

test('a package that is red as it is proves nothing: exit code 70', async () => {
  const folder = project()
  writeFileSync(
    join(folder, 'adapter.ts'),
    adapter.replace(`return { ...subject`, `if (options.fetch) throw new Error('broken')\n  return { ...subject`),
  )
  const { status, err, report } = await auto(folder)
  expect([status, report]).toEqual([70, undefined])
  expect(err).toMatch(/suite, acme: red without any mutant: acme\/text-only\//)
})

test('a name that is no package is an error of the caller', async () => {
  const { status, err } = await auto(project(), '--only', 'nobody')
  expect(status).toBe(2)
  expect(err).toContain(`There is no package 'nobody' to mutate. There are: acme, core.`)
})

test('a mutant that never comes to an end is ended, and was noticed', async () => {
  const folder = project()
  const file = join(folder, 'adapter.ts')
  const start = adapter.indexOf('if (options')
  const line = adapter.slice(start).split('\n')[0] ?? ''
  process.execArgv.push(conditions)
  onTestFinished(() => void process.execArgv.pop())
  const running = new Set<Running>()
  const order = {
    judge: 'suite',
    config: join(folder, 'steploop.config.ts'),
    root: folder,
    subject: 'acme',
    subjects: ['acme'],
    traffic: [],
    loopTests: [],
    tests: [],
    reached: [],
    mutation: { file, start, end: start + line.length, replacement: standstill, before: `  ${line}` },
  } as const
  const { noticedBy } = await askMutant(order, running, 5_000)
  expect(noticedBy).toBe('timeout: no answer in 5 s')
  expect(running.size).toBe(0)
})
