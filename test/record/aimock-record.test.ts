import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runConformance, scenarios, type Scenario, type Subject } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { describe, expect, test, vi } from 'vitest'
import { aimockURL, startAimock } from '../adapters/aimock.ts'
import { scratchFolder, subjectNamed } from '../scratch.ts'

// Many runs, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

/** One subject for each wire format that aimock speaks, and for its own surface for OpenRouter. */
const subjects: readonly Subject[] = [
  subjectNamed('openai-compatible'),
  subjectNamed('anthropic'),
  subjectNamed('gemini'),
  subjectNamed('ollama'),
  subjectNamed('openrouter'),
  // aimock adds a reasoning item that nobody scripted when a reasoning model answers in the Responses format.
  {
    ...subjectNamed('openai'),
    adapter: (options) => subjectNamed('openai').adapter({ ...options, model: 'gpt-4.1-mini' }),
  },
]

/** What a fixture can hold: texts and calls, in whole answers. Failures, cuts and thoughts are scripted otherwise there. */
const playable = [
  'text-only',
  'provider-options',
  'single-call',
  'text-then-call',
  'parallel-calls',
  'parallel-same-tool',
  'no-arguments',
  'three-turn',
  'five-turn',
  'branch',
  'tool-output-only',
  'tool-throws',
  'unknown-tool',
  'client-tool',
]

const played = scenarios.filter(({ id }) => playable.includes(id))

type Fixture = {
  readonly content?: string
  readonly toolCalls?: { readonly name: string; readonly arguments: string }[]
}

/** The script of a scenario as answers of aimock. */
function fixturesOf({ id, script }: Scenario): readonly Fixture[] {
  return script.map((turn) => {
    const parts = turn.type === 'answer' ? turn.parts : []
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const toolCalls = parts.flatMap((part) =>
      part.type === 'call' ? [{ name: part.toolName, arguments: part.inputText ?? JSON.stringify(part.input) }] : [],
    )
    if (texts.length + toolCalls.length !== parts.length || parts.length === 0) {
      throw new Error(`aimock cannot play '${id}': it holds more than texts and calls`)
    }
    return { ...(texts.length > 0 && { content: texts.join('') }), ...(toolCalls.length > 0 && { toolCalls }) }
  })
}

/** A server that gives the answers in order, whatever is asked. */
async function startPlaying() {
  const mock = await startAimock()
  let left: readonly Fixture[] = []
  mock.on({}, () => {
    const [next, ...others] = left
    left = others
    return next ?? { error: { message: 'the script is over' }, status: 500 }
  })
  return { mock, play: (answers: readonly Fixture[]) => void (left = answers) }
}

describe.each(subjects)('$name recorded from aimock', (original) => {
  test('replays with the network denied, behind two front-ends alike, with all checks green', async () => {
    const subject = { ...original, cassettes: scratchFolder() }
    const { mock, play } = await startPlaying()
    const from = { baseURL: aimockURL(mock, subject), origin: 'simulated' } as const
    for (const scenario of played) {
      for (const mode of ['generate', 'stream'] as const) {
        play(fixturesOf(scenario))
        const { status, problems } = await recordScenario({ subject, scenario, mode, from })
        expect({ name: `${scenario.id}.${mode}`, status, problems }).toMatchObject({ status: 'written', problems: [] })
      }
    }
    await mock.stop()
    // The server is gone, and each front-end has to give the same trace without any.
    const frontEnds = ['fetch', 'msw'] as const
    const report = await runConformance([subject], { scenario: playable, frontEnds, stress: [] })
    expect(report.counts).toMatchObject({ pass: playable.length * 2, fail: 0, 'harness-error': 0 })
    expect(new Set(report.cases.map(({ origin }) => origin?.kind))).toEqual(new Set(['simulated']))
  })
})

test('`steploop record --base-url` records from it, and calls it neither live nor local', async () => {
  const scenario = played.find(({ id }) => id === 'parallel-calls')!
  const { mock, play } = await startPlaying()
  play(fixturesOf(scenario))
  const cassettes = scratchFolder()
  const file = join(cassettes, 'steploop.config.ts')
  const root = fileURLToPath(new URL('../..', import.meta.url))
  writeFileSync(
    file,
    `import config from ${JSON.stringify(join(root, 'steploop.config.ts'))}
const subject = config.subjects.find(({ name }) => name === 'anthropic')
export default { subjects: [{ ...subject, cassettes: ${JSON.stringify(cassettes)} }] }\n`,
  )
  const main = join(root, 'packages/cli/src/main.ts')
  const words = ['--only', 'anthropic', '--scenario', scenario.id, '--mode', 'stream', '--config', file]
  const server = ['--base-url', aimockURL(mock, subjectNamed('anthropic')), '--simulated', '--date', '2026-11-21']
  const { status, said } = await run(['--conditions=@steploop/source', main, 'record', ...words, ...server], root)
  expect([status, said]).toEqual([0, expect.stringContaining('1 written, 0 unchanged, 0 refused')])
  const text = readFileSync(join(cassettes, 'parallel-calls.stream.yaml'), 'utf8')
  expect(text).toMatch(/kind: "simulated"/)
  expect(text).toContain('https://api.anthropic.com/v1/messages')
  expect(text).not.toContain('127.0.0.1')
})

/** A process of Node; the server has to go on answering meanwhile. */
function run(args: readonly string[], cwd: string): Promise<{ readonly status: number | null; readonly said: string }> {
  const env = { ...process.env, CI: undefined, ANTHROPIC_API_KEY: 'any' }
  const child = spawn(process.execPath, args, { cwd, env })
  let said = ''
  child.stdout.on('data', (chunk) => void (said += String(chunk)))
  child.stderr.on('data', (chunk) => void (said += String(chunk)))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, said }))
  })
}
