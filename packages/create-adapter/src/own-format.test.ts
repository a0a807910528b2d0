import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runConformance, scenarios, type Subject } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { framings, writeScaffold } from './index.ts'
import { afterEach, expect, test } from 'vitest'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function scaffolded(framing: (typeof framings)[number]): Promise<Subject> {
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'scaffold-'))), 'green-tea')
  folders.push(join(folder, '..'))
  writeScaffold({ folder, kind: 'own-format', name: 'green-tea', framing })
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
  const config = (await import(join(folder, 'steploop.config.ts'))) as { default: { subjects: [Subject] } }
  return config.default.subjects[0]
}

test('what a scaffold of an own format does not name as without words records itself from its simulator, in every scenario', async () => {
  const { scenarios: _, ...subject } = await scaffolded('binary')
  const refused: string[] = []
  for (const scenario of scenarios.filter(({ id }) => subject.noWordsFor?.[id] === undefined)) {
    for (const mode of ['generate', 'stream'] as const) {
      const { status, problems } = await recordScenario({ subject, scenario, mode, from: 'simulator' })
      if (status === 'refused') refused.push(`${scenario.id}/${mode}: ${problems.join('; ')}`)
    }
  }
  expect(refused).toEqual([])
}, 120_000)

test.each(framings)(
  'a scaffold of an own format with the framing %s records itself from its simulator, and passes with all stressors',
  async (framing) => {
    const subject = await scaffolded(framing)
    for (const scenario of scenarios.filter(({ id }) => subject.scenarios?.includes(id))) {
      for (const mode of ['generate', 'stream'] as const) {
        const { status, problems } = await recordScenario({ subject, scenario, mode, from: 'simulator' })
        expect([scenario.id, mode, status, ...(problems ?? [])]).toEqual([scenario.id, mode, 'written'])
      }
    }
    const { cases, counts } = await runConformance([subject])
    expect(counts).toMatchObject({ pass: 14, fail: 0, 'not-applicable': 0 })
    const cut = cases.flatMap(({ checks }) => checks.filter(({ id }) => id === 'truncate'))
    expect(cut.reduce((sum, { variants = 0 }) => sum + variants, 0)).toBeGreaterThan(100)
  },
)
