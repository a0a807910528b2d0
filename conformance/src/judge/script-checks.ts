import type { TurnEvent, TurnRequest, Usage, Warning } from '@steploop/core/adapter'
import type { Check, Failure } from '../check.ts'
import type { Evidence, TurnRecord } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import type { ScriptedTurn, ScriptedUsage } from '../script.ts'
import { answer } from '../script-parts.ts'
import { usageOf } from '../wires/simulate/scripted-answer.ts'

/** Tokens are what people pay, and only a simulated model says beforehand how many there will be. */
export function usageAsScripted({ script }: Pick<Scenario, 'script'>): Check {
  return {
    id: 'usage-as-scripted',
    sentence:
      'The usage of each turn is what the script says: all input with what was cached, all output with thoughts.',
    notSeen: (evidence) => noScript(evidence, script),
    judge: (evidence) =>
      turnsOf(evidence).flatMap(({ turn, where }, index) =>
        usageFaults(evidence, turn, { scripted: script[index], number: index + 1 }).map((message) => ({
          message,
          where,
        })),
      ),
  }
}

function noScript({ origin, recordedBy, runs }: Evidence, script: readonly ScriptedTurn[]): string | undefined {
  if (origin !== undefined && origin !== 'simulated') return 'the recording is not from a simulator'
  if (recordedBy?.endsWith(' recorder') === true) return 'the recording is from a simulator that counts for itself'
  const turns = runs.flatMap((run) => run.turns)
  return turns.length === script.length ? undefined : 'turns and the script are not one to one'
}

function turnsOf({ runs }: Evidence): readonly { readonly turn: TurnRecord; readonly where: string }[] {
  return runs.flatMap(({ number, turns }) =>
    turns.map((turn, index) => ({ turn, where: `run ${number}, turn ${index + 1}` })),
  )
}

interface Script {
  readonly scripted: ScriptedTurn | undefined
  readonly number: number
}

function usageFaults(
  { recordedBy, received = '' }: Evidence,
  { events, error }: TurnRecord,
  { scripted, number }: Script,
): readonly string[] {
  const answered = scripted?.type === 'object' ? answer() : scripted
  if (error !== undefined || answered?.type !== 'answer' || answered.cutAfter !== undefined) return []
  // What a script leaves open is filled in by the suite: for its own simulator, and for one that a subject brings.
  if (answered.usage === undefined && recordedBy?.endsWith(' simulator') !== true) return []
  const got = events.flatMap((event) => (event.type === 'turn-end' ? [event.usage] : []))[0]
  return miscounts(got, usageOf(answered, number, false), received)
}

/** What of a usage is not as the script has it. `received`: all that came in as a text. */
export function miscounts(
  got: Usage = {},
  wanted: Readonly<Record<keyof ScriptedUsage, number>>,
  received: string,
): readonly string[] {
  // That there is none is for `usage-adds-up` to say.
  if (got.inputTokens === undefined && got.outputTokens === undefined) return []
  const counted = ['inputTokens', 'outputTokens'] as const
  const apart = ['cachedInputTokens', 'cacheWriteTokens'] as const
  return [
    ...counted.flatMap((name) => difference(name, got[name], wanted[name])),
    // Not every provider tells these apart; one that does has to be believed. Numbers as long as these are nothing else.
    ...apart
      .filter((name) => got[name] !== undefined || (wanted[name] > 1000 && received.includes(String(wanted[name]))))
      .flatMap((name) => difference(name, got[name], wanted[name])),
  ]
}

function difference(name: keyof Usage, got: number | undefined, wanted: number): readonly string[] {
  return got === wanted ? [] : [`\`${name}\` is ${got}, and the provider counted ${wanted}`]
}

/** A warning at everything is as good as none. */
export function warnsInNeed({ mayLose = [] }: Pick<Scenario, 'mayLose'>): Check {
  return {
    id: 'warns-in-need',
    sentence:
      'What a warning calls lost or changed was asked for, and is something that a provider may have no word for.',
    judge: (evidence) =>
      turnsOf(evidence).flatMap(({ turn, where }): readonly Failure[] =>
        turn.events
          .flatMap((event) => warningsOf(event))
          .filter(({ type }) => type !== 'repaired' && type !== 'unproven-end')
          .filter(({ path }) => !wasAskedFor(path, turn.request) && !mayLose.some((begin) => path.startsWith(begin)))
          .map(({ type, path, message }) => ({
            message: `a warning (${type}, \`${path}\`) speaks of something that was not asked for, or can always be sent: ${message}`,
            where,
          })),
      ),
  }
}

function warningsOf(event: TurnEvent): readonly Warning[] {
  return event.type === 'turn-start' || event.type === 'turn-end' ? (event.warnings ?? []) : []
}

/** Options of a turn, which no provider has to know. */
function wasAskedFor(path: string, { settings, toolChoice, responseFormat, providerOptions }: TurnRequest): boolean {
  const [first = '', second = ''] = path.split('.')
  if (first === 'settings')
    return Object.entries(settings ?? {}).some(([name, value]) => name === second && value !== undefined)
  if (first === 'toolChoice') return toolChoice !== undefined
  if (first.startsWith('responseFormat')) return responseFormat !== undefined
  return first === 'providerOptions' && providerOptions !== undefined
}
