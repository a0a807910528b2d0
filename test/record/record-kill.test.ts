import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCassette, writeCassette } from '@steploop/cassette'
import { scenarios } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { expect, test, vi } from 'vitest'
import { scratchFolder, subjectNamed } from '../scratch.ts'

/*
 * A few kills in every run of the tests; `pnpm record:kill-test` has twenty. The moments come from a seed, which is printed: the same
 * one can be given again. Where exactly they fall depends on the machine.
 */
const kills = Number(process.env['STEPLOOP_KILLS'] ?? 3)
const seed = Number(process.env['STEPLOOP_KILL_SEED'] ?? Date.now() % 1_000_000)

// Each kill takes a process, and a machine may be busy.
vi.setConfig({ testTimeout: 60_000 + kills * 10_000 })

const root = fileURLToPath(new URL('../..', import.meta.url))
const subject = subjectNamed('anthropic')
const ids = ['text-only', 'single-call', 'parallel-calls', 'three-turn']
const older = 'an older recorder'

/** A folder with a whole cassette for every case, each of them older than what a recording gives now. */
async function setUp() {
  const folder = scratchFolder()
  const inside = { ...subject, cassettes: folder }
  for (const scenario of scenarios.filter(({ id }) => ids.includes(id))) {
    for (const mode of ['generate', 'stream'] as const) {
      const { path } = await recordScenario({ subject: inside, scenario, mode, from: 'simulator' })
      const { header, exchanges } = readCassette(path)
      writeCassette(path, { header: { ...header, origin: { ...header.origin, by: older } }, exchanges })
    }
  }
  const file = join(folder, 'steploop.config.ts')
  const all = JSON.stringify(join(root, 'steploop.config.ts'))
  writeFileSync(
    file,
    `import config from ${all}
const subject = config.subjects.find(({ name }) => name === 'anthropic')
export default { subjects: [{ ...subject, cassettes: ${JSON.stringify(folder)} }] }\n`,
  )
  return { folder, file }
}

interface Recording {
  readonly child: ChildProcess
  /** Resolves when the first case begins. */
  readonly begun: Promise<void>
  /** Resolves at the first line on stdout: a cassette was written. */
  readonly wrote: Promise<void>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly said: string }>
}

function startRecording(file: string): Recording {
  const main = join(root, 'packages/cli/src/main.ts')
  const words = ['record', '--simulator', '--config', file, ...ids.flatMap((id) => ['--scenario', id])]
  const env = { ...process.env, CI: undefined }
  const child = spawn(process.execPath, ['--conditions=@steploop/source', main, ...words], { cwd: root, env })
  let said = ''
  const first = (stream: 'stdout' | 'stderr') =>
    new Promise<void>((resolve) => void child[stream].once('data', () => resolve()))
  child.stdout.on('data', (chunk) => void (said += String(chunk)))
  return {
    child,
    begun: first('stderr'),
    wrote: first('stdout'),
    ended: new Promise((resolve) => void child.on('close', (code, signal) => resolve({ code, signal, said }))),
  }
}

type State = Readonly<Record<string, string>>

const cassettesIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.yaml'))

function textsIn(folder: string): State {
  return Object.fromEntries(cassettesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** How many cassettes are new. Each one has to be whole, and either new or, byte for byte, what it was. */
function countNew(folder: string, before: State): number {
  expect(cassettesIn(folder)).toEqual(Object.keys(before))
  const states = cassettesIn(folder).map((name) => {
    if (readFileSync(join(folder, name), 'utf8') === before[name]) return 'old'
    return readCassette(join(folder, name)).header.origin.by === older ? 'altered' : 'new'
  })
  expect(states).not.toContain('altered')
  return states.filter((state) => state === 'new').length
}

function restore(folder: string, before: State): void {
  for (const [name, text] of Object.entries(before)) writeFileSync(join(folder, name), text)
}

/** Numbers from 0 to 1; the same seed gives the same ones */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const first = Math.imul(state ^ (state >>> 15), 1 | state)
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32
  }
}

test(`a recording that is killed at any moment leaves every cassette whole, old or new (${kills} kills)`, async () => {
  const { folder, file } = await setUp()
  const before = textsIn(folder)
  expect(Object.keys(before)).toHaveLength(ids.length * 2)
  const whole = startRecording(file)
  await whole.begun
  const started = performance.now()
  expect((await whole.ended).code).toBe(0)
  const duration = performance.now() - started
  expect(countNew(folder, before)).toBe(ids.length * 2)
  const random = randomOf(seed)
  const moments = Array.from({ length: kills }, () => Math.floor(random() * duration))
  const found: number[] = []
  for (const moment of moments) {
    restore(folder, before)
    const { child, begun, ended } = startRecording(file)
    await begun
    await new Promise((resolve) => setTimeout(resolve, moment))
    child.kill('SIGKILL')
    await ended
    found.push(countNew(folder, before))
  }
  process.stdout.write(
    `kill -9, seed ${seed}: after ${moments.join(', ')} ms; new cassettes of ${ids.length * 2}: ${found.join(', ')}\n`,
  )
  // What a killed recording leaves lying about does not disturb the next one.
  expect((await startRecording(file).ended).code).toBe(0)
  expect(countNew(folder, before)).toBe(ids.length * 2)
})

test('Ctrl-C ends a recording with exit code 130, names what was written, and leaves the rest as it was', async () => {
  const { folder, file } = await setUp()
  const before = textsIn(folder)
  const { child, wrote, ended } = startRecording(file)
  await wrote
  child.kill('SIGINT')
  const { code, said } = await ended
  expect(code).toBe(130)
  const written = countNew(folder, before)
  expect(written).toBeGreaterThan(0)
  const summary = said.slice(said.indexOf('interrupted:'))
  expect(summary).toContain(`${written} written`)
  expect(summary.match(/^ {2}\S+\.yaml$/gm) ?? []).toHaveLength(written)
  expect(readdirSync(folder).filter((name) => name.endsWith('.scratch'))).toEqual([])
})
