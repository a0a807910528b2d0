import { LoopError } from '../../../src/contract/errors.ts'
import type { Warning } from '../../../src/contract/adapter.ts'
import type { RunInput, RunOptions } from '../../../src/options/loop-options.ts'
import type { RunResult } from '../../../src/contract/run-result.ts'
import { StepLoop } from '../../../src/loop/step-loop.ts'
import type { Transcript } from '../../../src/contract/transcript.ts'
import { transcriptOf, type Outcome } from '../observation.ts'
import type { Surroundings } from '../play.ts'
import { changedOptions, makeOptions, slowness } from './application.ts'
import type { ChangeKind, DecisionDraw } from './draw.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { makeModel } from './model.ts'
import { freshRun, nextRun, type Beginning } from './next-run.ts'
import { print } from './print.ts'
import { resetFresh } from './schemas/testing.ts'

/** One run, as far as it can be seen from outside. */
export interface RunRecord extends Beginning {
  readonly run: number
  readonly change: ChangeKind
  readonly outcome: Outcome
  /** It neither ended nor failed. */
  readonly hung: boolean
  /** The transcript that it ended with, copied then. */
  readonly ended: Transcript | undefined
  readonly warnings: readonly Warning[]
  /** Codes of the failures that were retried. */
  readonly retries: readonly string[]
  /** What the caller had given and got, before and after. */
  readonly objects: readonly { readonly what: string; readonly before: string; readonly after: string }[]
}

export interface DecisionObservation {
  readonly draw: DecisionDraw
  /** The options were refused. */
  readonly refused: unknown
  readonly runs: readonly RunRecord[]
  readonly ledger: Ledger
}

export async function playDecisions(draw: DecisionDraw, { idle }: Surroundings): Promise<DecisionObservation> {
  resetFresh()
  const ledger = createLedger(draw)
  const options = makeOptions(ledger, makeModel(ledger))
  let loop: StepLoop
  try {
    loop = new StepLoop(options)
  } catch (refused) {
    return { draw, refused, runs: [], ledger }
  }
  const played: Played[] = []
  let beginning: Beginning | undefined = freshRun
  for (let run = 0; beginning !== undefined; run++) {
    ledger.run = run
    ledger.change = beginning.draw?.change ?? 'none'
    const own = changedOptions(ledger, ledger.change, options.policies)
    const record: Played = await playRun({ ledger, loop, own, beginning, idle })
    played.push(record)
    beginning = followUp(draw, played)
  }
  const runs = played.map((one): RunRecord => ({ ...one, objects: [...one.objects(), ...kept(one)] }))
  return { draw, refused: undefined, runs, ledger }
}

type Played = Omit<RunRecord, 'objects'> & { readonly objects: () => RunRecord['objects'] }

/** What a run gave is a record: later runs do not change it. */
function kept({ outcome, ended }: Played): RunRecord['objects'] {
  const transcript = transcriptOf(outcome)
  return transcript === undefined ? [] : [{ what: 'its transcript', before: print(ended), after: print(transcript) }]
}

function followUp(draw: DecisionDraw, played: readonly Played[]): Beginning | undefined {
  const last = played.at(-1)
  const next = draw.next[played.length - 1]
  if (last === undefined || next === undefined || last.hung || last.tampered || last.forged) return undefined
  const base = next.from === 'before' && last.base !== undefined ? last.base : last.run
  const source = played[base]
  const transcript = source && transcriptOf(source.outcome)
  return transcript && nextRun(next, base, transcript, draw)
}

interface DecisionRun {
  readonly ledger: Ledger
  readonly loop: StepLoop
  readonly own: RunOptions
  readonly beginning: Beginning
  readonly idle: () => Promise<void>
}

async function playRun({ ledger, loop, own, beginning, idle }: DecisionRun): Promise<Played> {
  const { run, change } = ledger
  const controller = new AbortController()
  ledger.abort = () => controller.abort(new Error('enough'))
  const before = print(beginning.input)
  const retries: string[] = []
  let outcome: Outcome | undefined
  const options = { ...own, abortSignal: controller.signal }
  consume({ ledger, loop, input: beginning.input, options, retries }).then(
    (result) => (outcome = { type: 'result', result }),
    (error: unknown) => (outcome = { type: 'error', error }),
  )
  for (let moves = 0; moves < 100 && outcome === undefined; moves++) {
    await idle()
    if (outcome === undefined && !ledger.time.advance()) break
  }
  const settled: Outcome = outcome ?? { type: 'left' }
  const transcript = transcriptOf(settled)
  return {
    ...beginning,
    run,
    change,
    outcome: settled,
    hung: outcome === undefined,
    ended: transcript && structuredClone(transcript),
    warnings: settled.type === 'result' ? settled.result.warnings : [],
    retries,
    objects: () => [{ what: 'its input', before, after: print(beginning.input) }],
  }
}

interface Consumption {
  readonly ledger: Ledger
  readonly loop: StepLoop
  readonly input: RunInput
  readonly options: RunOptions
  readonly retries: string[]
}

async function consume({ ledger, loop, input, options, retries }: Consumption): Promise<RunResult> {
  const { consumer } = ledger.draw.app
  if (consumer === 'generate') return loop.generate(input, options)
  const stream = loop.stream(input, options)
  for await (const event of stream) {
    if (event.type === 'step-retry') retries.push(event.error.code)
    if (consumer === 'slow') ledger.time.pass(slowness)
  }
  return stream.result
}

export function codeOf({ outcome }: RunRecord): string | undefined {
  return outcome.type === 'error' && LoopError.isInstance(outcome.error) ? outcome.error.code : undefined
}
