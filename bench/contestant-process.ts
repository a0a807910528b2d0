import { workloads } from './answers.ts'
import { contestants } from './contestants/index.ts'
import { measureGap } from './gap.ts'
import { cpuPerRun, programOf } from './measure.ts'

/** What the bench asks of the process of one contestant. */
export type Question =
  | { readonly type: 'cpu'; readonly workload: string; readonly windowMs: number }
  | { readonly type: 'gap'; readonly rounds: number }

/** Each contestant has a process of its own, so that none runs code that another one warmed up, or cleans up after it. */
const name = process.argv[2]
const contestant = contestants.find((one) => one.name === name)
if (contestant === undefined) throw new Error(`There is no contestant '${name}'.`)

const programs = new Map<string, () => Promise<unknown>>()

async function programFor(id: string): Promise<() => Promise<unknown>> {
  const known = programs.get(id)
  if (known !== undefined) return known
  const workload = workloads.find((one) => one.id === id)
  if (workload === undefined || contestant === undefined) throw new Error(`There is no workload '${id}'.`)
  const run = programOf(contestant, workload)
  for (let warm = 0; warm < 5; warm++) await run()
  programs.set(id, run)
  return run
}

async function answer(question: Question): Promise<number> {
  if (question.type === 'cpu') return cpuPerRun(await programFor(question.workload), question.windowMs)
  return contestant === undefined ? Number.NaN : measureGap(contestant, question.rounds)
}

process.on('message', (question: Question) => {
  void answer(question).then((ms) => process.send?.(ms))
})
