import { AdapterError, createToolCallAssembler, type Adapter, type TurnEvent } from '@steploop/core/adapter'
import { expect, it } from 'vitest'
import type { CaseReport } from '../report-schema.ts'
import { defineSubject, type ScriptedSubject, type Subject, type TurnScript } from '../subject.ts'
import { runConformance } from '../run/run-conformance.ts'

/** An adapter without any HTTP: what the script says becomes events at once. */
function talk(script: TurnScript, changed: (events: TurnEvent[]) => TurnEvent[] = (events) => events): Adapter {
  const origin = { provider: 'talk', model: script.model }
  return {
    ...origin,
    capabilities: { tools: true, parallel: true, toolChoice: ['auto', 'none'], streamUsage: true },
    async *turn({ turn }) {
      const scripted = script.next()
      if (scripted.type === 'failure') {
        throw new AdapterError({ ...origin, code: 'server-error', providerMessage: scripted.failure })
      }
      const out: TurnEvent[] = [{ type: 'turn-start' }]
      let part = 0
      const calls = createToolCallAssembler({ turn, nextPart: () => part++ })
      for (const said of scripted.parts) {
        if (said.type === 'call') {
          calls.push({ index: calls.count, name: said.toolName, argumentsText: JSON.stringify(said.input) }, out)
        } else if (said.type === 'text') {
          out.push({ type: 'text-start', part }, { type: 'text-delta', part, text: said.text })
          out.push({ type: 'text-end', part: part++ })
        }
      }
      calls.end(out, false)
      const usage = { inputTokens: 3, outputTokens: 2 }
      out.push({
        type: 'turn-end',
        finishReason: calls.count > 0 ? 'tool-calls' : 'stop',
        rawFinishReason: 'end',
        usage,
      })
      yield changed(out)
    },
  }
}

const whole: ScriptedSubject = { name: 'talk', wire: 'talk', model: 'talk-1', turnScript: (script) => talk(script) }

async function casesOf(subject: Subject, ids: readonly string[]): Promise<readonly CaseReport[]> {
  return (await runConformance([subject], { scenario: ids })).cases
}

it('a subject that gives a turnScript needs no cassettes: an adapter that does what the scripts say passes in both modes', async () => {
  const ids = ['text-only', 'single-call', 'parallel-calls', 'three-turn', 'tool-throws', 'max-steps-finalize']
  const cases = await casesOf(defineSubject(whole), ids)
  expect(cases.map(({ address, verdict }) => `${address} ${verdict}`)).toEqual(
    ids.flatMap((id) => [`talk/${id}/generate pass`, `talk/${id}/stream pass`]),
  )
})

it('a subject that gives a turnScript fails the golden skeleton where its adapter loses a call', async () => {
  const lossy = { ...whole, turnScript: (script: TurnScript) => talk(script, withoutCalls) }
  const [one] = await casesOf(defineSubject(lossy), ['single-call'])
  const red = one?.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  expect(red).toContain('golden')
  expect(red).toContain('as-recorded')
})

it('a subject that gives a turnScript is not judged by what nobody can see: requests and bytes do not apply, with the reason', async () => {
  const [, one] = await casesOf(defineSubject(whole), ['single-call'])
  const unseen = one?.checks.filter(({ verdict }) => verdict === 'not-applicable') ?? []
  expect(unseen.map(({ id }) => id)).toEqual(expect.arrayContaining(['paired', 'grows', 'rechunk', 'truncate']))
  for (const { reason } of unseen) expect(reason).toContain('`turnScript`')
  expect(one?.checks.find(({ id }) => id === 'golden')?.verdict).toBe('pass')
})

it('a subject that gives a turnScript names scenarios for which its provider has no words, and they do not apply, with the reason', async () => {
  const wordless = {
    ...whole,
    noWordsFor: { 'single-call': 'talk never asks back' },
    shownElsewhere: ['tools'] as const,
  }
  const cases = await casesOf(defineSubject(wordless), ['single-call', 'text-only'])
  expect(cases.map(({ scenario, verdict, reason }) => [scenario, verdict, reason])).toEqual([
    ['text-only', 'pass', undefined],
    ['text-only', 'pass', undefined],
    ['single-call', 'not-applicable', 'talk never asks back'],
    ['single-call', 'not-applicable', 'talk never asks back'],
  ])
})

it('a subject that gives a turnScript does not apply to scenarios that break bytes', async () => {
  const cases = await casesOf(defineSubject(whole), ['connection-reset'])
  expect(cases.map(({ verdict }) => verdict)).toEqual(['not-applicable', 'not-applicable'])
  expect(cases[0]?.reason).toContain('breaks bytes')
})

it('a subject that gives a turnScript shows what its adapter can do outside of a play, where it answers nothing', async () => {
  const adapter = defineSubject(whole).adapter({})
  expect(adapter.capabilities.tools).toBe(true)
  const turn = adapter.turn({ messages: [], turn: 0 }, { mode: 'stream' })[Symbol.asyncIterator]()
  await expect(turn.next()).rejects.toThrow("'talk' asks for a turn while no scenario is played")
})

it('a subject that gives a turnScript is defined once more without a change, as the command line does with what it loads', () => {
  const once = defineSubject(whole)
  expect(defineSubject(once)).toBe(once)
})

function withoutCalls(events: TurnEvent[]): TurnEvent[] {
  return events.flatMap((event): TurnEvent[] => {
    if (event.type.startsWith('tool-call')) return []
    return [event.type === 'turn-end' ? { ...event, finishReason: 'stop' } : event]
  })
}
