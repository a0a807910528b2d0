import { runConformance, scenarios, type ScriptedPart, type ScriptedTurn, type Subject } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startProvider } from './simulated-provider.ts'
import { scratchFolder, subjectNamed } from '../scratch.ts'

vi.setConfig({ testTimeout: 60_000 })

/** What the scenario wants, in the words of another model: each text differs, and before calls something is said. */
function inOtherWords(turn: ScriptedTurn): ScriptedTurn {
  if (turn.type !== 'answer') return turn
  const parts = turn.parts.map((part): ScriptedPart => {
    return part.type === 'text' ? { type: 'text', text: `Anders gesagt: ${part.text}` } : part
  })
  const isCalling = parts.some(({ type }) => type === 'call') && parts[0]?.type === 'call'
  return { ...turn, parts: isCalling ? [{ type: 'text', text: 'Ich sehe nach, 東京.' }, ...parts] : parts }
}

/** The server of a model: nothing in its responses tells that it is a simulator. */
async function startModel({ wire, baseURL }: Subject, script: readonly ScriptedTurn[]): Promise<string> {
  const model = await startProvider({ wire, baseURL, script: script.map(inOtherWords) })
  onTestFinished(() => model.close())
  return model.url
}

const ids = [
  'text-only',
  'single-call',
  'text-then-call',
  'parallel-calls',
  'three-turn',
  'client-tool',
  'length-limit',
]

test.each(['anthropic', 'openai-compatible', 'ollama'])(
  'a model that says the same in other words, and speaks before it calls, is recorded for %s and passes the suite',
  async (name) => {
    const cassettes = scratchFolder()
    const subject = { ...subjectNamed(name), cassettes }
    for (const scenario of scenarios.filter(({ id }) => ids.includes(id))) {
      for (const mode of ['generate', 'stream'] as const) {
        const baseURL = await startModel(subject, scenario.script)
        const from = { baseURL, origin: 'local' } as const
        const { status, problems } = await recordScenario({ subject, scenario, mode, from, attempts: 1 })
        expect({ case: `${scenario.id}/${mode}`, status, problems }).toMatchObject({ status: 'written', problems: [] })
      }
    }
    const report = await runConformance([subject], { scenario: ids, stress: [], frontEnds: ['fetch'] })
    expect(report.counts).toMatchObject({ pass: ids.length * 2, fail: 0 })
  },
)
