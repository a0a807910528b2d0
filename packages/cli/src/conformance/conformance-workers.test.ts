import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Report } from '@steploop/conformance'
import { reportSchema } from '@steploop/conformance/cli'
import { expect, test, vi } from 'vitest'
import { root, runSteploop, scratchFolder, spawnSteploop, standstill } from '../testing.ts'
import { registerConformance } from './conformance.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const program = ['--conditions=@steploop/source', join(root, 'packages/cli/src/main.ts')]

interface Scratch {
  readonly folder: string
  readonly config: string
}

/** A config of two subjects with one scenario each; `turn` is what the second one does first in each turn, as source text. */
function scratch(turn = ''): Scratch {
  const folder = scratchFolder()
  const config = join(folder, 'steploop.config.ts')
  writeFileSync(
    config,
    `import { writeFileSync, writeSync } from 'node:fs'
import { groq } from ${JSON.stringify(join(root, 'subjects/groq.ts'))}
import { ollama } from ${JSON.stringify(join(root, 'subjects/ollama.ts'))}
const scenarios = ['text-only']
const adapter = (options) => {
  const { provider, model, capabilities, turn } = ollama.adapter(options)
  return { provider, model, capabilities, async *turn(...given) {
    ${turn}
    yield* turn(...given)
  } }
}
export default { subjects: [{ ...groq, scenarios }, { ...ollama, scenarios, adapter }] }\n`,
  )
  return { folder, config }
}

const quick = ['--front-end', 'fetch', '--stress', 'stable']

function conformance({ config, folder }: Scratch, ...words: readonly string[]) {
  return spawnSteploop(['conformance', config, ...quick, ...words], { CI: process.env['CI'] }, folder)
}

/** The run itself in this process, the processes that share it as always. */
function here({ config, folder }: Scratch, ...words: readonly string[]) {
  return runSteploop([registerConformance], ['conformance', config, ...words], folder)
}

function reportOf(stdout: string): Report {
  return reportSchema.parse(JSON.parse(stdout))
}

test('a process that ends too early is reported with the case that it ran, and is no bug of the program', () => {
  const { status, stdout, stderr } = conformance(scratch('process.exit(0)'), '--workers', '2')
  expect([status, stdout]).toEqual([70, ''])
  expect(stderr).toContain('The process that ran ollama/text-only/generate ended with code 0, so nothing is reported.')
  expect(stderr).toContain('--only ollama --workers 1 runs it alone')
  expect(stderr).not.toMatch(/bug|at .*\.ts:/)
})

test('one process names the case too, whether it is ended or something is thrown where nobody waits', () => {
  const ended = conformance(scratch('process.exit(0)'), '--workers', '1')
  expect([ended.status, ended.stdout]).toEqual([70, ''])
  expect(ended.stderr).toContain('ended before the command did while ollama/text-only/generate ran, so nothing is')
  const late = `setTimeout(() => { throw new Error('too late') }); await new Promise((resolve) => setTimeout(resolve, 20))`
  const thrown = conformance(scratch(late), '--workers', '1')
  expect([thrown.status, thrown.stdout]).toEqual([70, ''])
  expect(thrown.stderr).toMatch(/was thrown while ollama\/text-only\/generate ran, .*: Error: too late/)
})

test('reports go where they were asked for, although an adapter leaves the current folder', async () => {
  const bench = scratch(`process.chdir('/')`)
  const { status } = await here(bench, ...quick, '--workers', '1', '--json', 'report.json')
  expect(status).toBe(0)
  expect(reportOf(readFileSync(join(bench.folder, 'report.json'), 'utf8')).counts.pass).toBe(4)
})

test('an adapter that greets whoever started its process is judged as in one process, and prints into no report', () => {
  const greeting = scratch(`process.send?.('ready'); writeSync(1, 'a line\\n')`)
  const { status, stdout, stderr } = conformance(greeting, '--workers', '2', '--json', '-')
  expect([status, stderr]).toEqual([0, expect.stringContaining('a line')])
  expect(reportOf(stdout).counts.pass).toBe(4)
  expect(stderr).toMatch(/^0 of 4, \d+ s: /m)
})

test('a config that gives other cases in other processes is refused', async () => {
  const bench = scratch()
  const text = readFileSync(bench.config, 'utf8')
  writeFileSync(
    bench.config,
    text.replace(
      `['text-only']`,
      `process.argv.includes('conformance-worker') ? ['text-only'] : ['text-only', 'single-call']`,
    ),
  )
  const { status, out, err } = await here(bench, ...quick, '--workers', '2', '--json', '-')
  expect([status, out]).toEqual([2, ''])
  expect(err).toContain(`${bench.config} gives 8 cases here and 4 in the processes that share them`)
})

test.each(['1', '2'])('a run of nothing is a wrong use, in %s processes', async (workers) => {
  const run = await here(scratch(), ...quick, '--scenario', 'single-call', '--workers', workers, '--json', '-')
  expect([run.status, run.out]).toEqual([2, ''])
  expect(run.err).toContain('No case of single-call exists for groq, ollama, so nothing can be run.')
})

test('an adapter that holds its process at the end does not hold the run', () => {
  const held = scratch(`process.listenerCount('exit') < 5 && process.once('exit', () => ${standstill})`)
  const { status, stdout } = conformance(held, '--workers', '2')
  expect([status, stdout]).toEqual([0, expect.stringContaining('4 cases: 4 pass')])
})

/** Whether there is such a process; one that ended and that nobody asked about counts as none. */
function isRunning(id: number): boolean {
  const state = `/proc/${id}/stat`
  return existsSync(state) && !/\) Z /.test(readFileSync(state, 'utf8'))
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(50)
}

test.runIf(process.platform === 'linux').each(['SIGINT', 'SIGKILL'] as const)(
  'a process that never comes to rest does not outlive the one that started it, ended by %s',
  async (signal) => {
    const { folder, config } = scratch(
      `writeFileSync(new URL('id', import.meta.url), String(process.pid)); ${standstill}`,
    )
    const parent = spawn(process.execPath, [...program, 'conformance', config, '--workers', '2'], { stdio: 'ignore' })
    const file = join(folder, 'id')
    await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '')
    const id = Number(readFileSync(file, 'utf8'))
    expect(isRunning(id)).toBe(true)
    parent.kill(signal)
    await until(() => !isRunning(id))
    expect(isRunning(id)).toBe(false)
  },
)

test('what is wrong with the list of known failures is the same in one process and in several', async () => {
  const bench = scratch()
  const line = (check: string, expires: string) => ({ check, reason: 'a reason', issue: 'one', expires })
  const list = [
    line('ollama/none/stream#golden', '9999-12-31'),
    line('ollama/none/generate#golden', '2025-01-01'),
    line('groq/text-only/stream#golden', '2025-01-01'),
    line('groq/text-only/stream#stable', '9999-12-31'),
    line('groq/text-only/stream#abort', '9999-12-31'),
  ]
  writeFileSync(join(bench.folder, 'known-failures.yaml'), JSON.stringify(list))
  const run = async (workers: string): Promise<Report> =>
    // Without the filter for a stressor, so that the run is one of everything.
    reportOf((await here(bench, '--front-end', 'fetch', '--workers', workers, '--json', '-')).out)
  const [one, several] = [await run('1'), await run('3')]
  expect(one.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining("'ollama/none/stream#golden': no such check ran"),
    expect.stringContaining("'ollama/none/generate#golden': no such check ran"),
    expect.stringContaining("'groq/text-only/stream#golden' expired on 2025-01-01"),
  ])
  expect(several.problems).toEqual(one.problems)
  expect(one.counts).toMatchObject({ pass: 3, 'unexpected-pass': 1 })
  expect(several.counts).toEqual(one.counts)
})

test('a run that is confined to a stressor says nothing of lines for others', async () => {
  const bench = scratch()
  const list = [{ check: 'groq/text-only/stream#rechunk', reason: 'r', issue: 'i', expires: '9999-12-31' }]
  writeFileSync(join(bench.folder, 'known-failures.yaml'), JSON.stringify(list))
  for (const workers of ['1', '2']) {
    const { problems, asked } = reportOf((await here(bench, ...quick, '--workers', workers, '--json', '-')).out)
    expect({ problems, asked }).toEqual({ problems: [], asked: { stress: ['stable'] } })
  }
})
