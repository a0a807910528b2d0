import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCassette, writeCassette } from '@steploop/cassette'
import { expect, test, vi } from 'vitest'
import { root, runSteploop, scratchFolder, spawnSteploop } from '../testing.ts'
import { registerDrift } from './drift.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const keys = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' }

/** In this process. */
function drift(...words: readonly string[]) {
  for (const [name, value] of Object.entries({ ...keys, CI: undefined })) vi.stubEnv(name, value)
  return runSteploop([registerDrift], ['drift', ...words])
}

const one = ['--only', 'anthropic', '--scenario', 'single-call'] as const

test('a provider that did not change gives exit code 0, on stdout, as JSON and as Markdown', () => {
  const folder = scratchFolder()
  const [json, markdown] = [join(folder, 'drift.json'), join(folder, 'drift.md')]
  const words = ['drift', ...one, '--simulator', '--json', json, '--markdown', markdown, '--out', folder]
  const { status, stdout } = spawnSteploop(words, keys)
  expect([status, stdout]).toEqual([
    0,
    expect.stringContaining('anthropic-messages, anthropic: nothing changed in 2 cases'),
  ])
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    version: 1,
    wires: [{ wire: 'anthropic-messages', subject: 'anthropic', cases: 2, findings: [] }],
    counts: { info: 0, warning: 0, error: 0 },
  })
  expect(readFileSync(markdown, 'utf8')).toContain('## Drift: 0 errors, 0 warnings, 0 info')
  expect(readFileSync(join(folder, 'anthropic', 'single-call.stream.yaml'), 'utf8')).toContain('kind: "simulated"')
})

test('two sets of cassettes are compared without a server: what another version of it does', async () => {
  const folder = scratchFolder()
  const local = ['--config', 'local.config.ts', '--only', 'llama-chat', '--scenario', 'single-call'] as const
  const home = join(folder, 'llama-chat')
  cpSync(join(root, 'cassettes/llama-chat'), home, { recursive: true })
  expect(await drift(...local, '--against', folder)).toMatchObject({
    status: 0,
    out: expect.stringContaining('nothing changed in 2 cases'),
  })
  const file = join(home, 'single-call.generate.yaml')
  const cassette = readCassette(file)
  const renamed = (body: Uint8Array): Uint8Array =>
    new TextEncoder().encode(new TextDecoder().decode(body).replace('"timings":', '"times":'))
  writeCassette(file, {
    ...cassette,
    exchanges: cassette.exchanges.map(({ request, response }) => {
      const body = renamed(response.body)
      return { request, response: { ...response, body, chunks: [{ ms: 0, bytes: body.length }] } }
    }),
  })
  const changed = await drift(...local, '--against', folder)
  expect(changed.status).toBe(1)
  expect(changed.out).toMatch(/timings/)
  expect(changed.out).toMatch(/times/)
})

test.each([
  [['--against', '.', '--traffic', '.'], /leave out --traffic/],
  [['--against', 'no/such/folder', '--only', 'anthropic'], /has no cassettes of cases/],
  [['--only', 'anthropic', '--only', 'openai'], /Set OPENAI_API_KEY[^]*Set ANTHROPIC_API_KEY/],
  [['--only', 'nobody', '--simulator'], /no subject 'nobody'/],
  [['--simulator', '--traffic', '.'], /--traffic records nothing/],
  [['--only', 'anthropic', '--traffic', 'no/such/folder'], /no\/such\/folder/],
] as const)('drift with %j is a wrong use: exit 2, with the fix', async (words, message) => {
  const { status, err } = await drift(...words)
  expect(err).toMatch(message)
  expect(status).toBe(2)
})
