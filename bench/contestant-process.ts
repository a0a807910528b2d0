import { streamedForm, workloads, streamedSteps, type Workload } from './answers.ts'
import type { Contestant } from './contestants/contestant.ts'
import { contestants } from './contestants/index.ts'
import { cpuPerRun, programOf, wallPerRun, median } from './measure.ts'
import { scriptedFetch } from './scripted-fetch.ts'

/** What the bench asks of the process of one contestant; every answer is a number. */
export type Question =
  /** Milliseconds of a run: CPU without a network, or where `origin` is that of an answer server, by the clock. */
  | {
      readonly type: 'time'
      readonly workload: string
      readonly windowMs: number
      readonly origin?: string | undefined
    }
  | { readonly type: 'gap'; readonly rounds: number }
  /** Megabytes that the process grew by, at most, in one run of a process that did nothing before. */
  | { readonly type: 'memory'; readonly workload: string }

/** Each contestant has a process of its own, so that none runs code that another one warmed up, or cleans up after it. */
const contestant = await contestantOf(process.argv[2])

const programs = new Map<string, () => Promise<unknown>>()

function contestantOf(name: string | undefined): Promise<Contestant> {
  const found = contestants.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no contestant '${name}'.`)
  return found.load()
}

function workloadOf(id: string): Workload {
  const workload = workloads.find((one) => one.id === id)
  if (workload === undefined) throw new Error(`There is no workload '${id}'.`)
  return contestant.alwaysStreams ? streamedForm(workload) : workload
}

async function programFor(id: string, origin = ''): Promise<() => Promise<unknown>> {
  const known = programs.get(origin + id)
  if (known !== undefined) return known
  const workload = workloadOf(id)
  const run = programOf(contestant, workload, origin === '' ? undefined : () => loopbackFetch(origin, workload))
  for (let warm = 0; warm < 5; warm++) await run()
  programs.set(origin + id, run)
  return run
}

/** The contestant's own request, sent to the answer server. */
function loopbackFetch(origin: string, { id, answers }: Workload): typeof fetch {
  let turn = 0
  return (_url, init) => fetch(`${origin}/${id}/${turn++ % answers.length}`, init)
}

async function answer(question: Question): Promise<number> {
  switch (question.type) {
    case 'time': {
      const { workload, windowMs, origin } = question
      const run = await programFor(workload, origin)
      return origin === undefined ? cpuPerRun(run, windowMs) : wallPerRun(run, windowMs)
    }
    case 'gap':
      return measureGap(question.rounds)
    case 'memory': {
      const run = programOf(contestant, workloadOf(question.workload))
      const before = process.memoryUsage.rss() / 1024
      await run()
      return (process.resourceUsage().maxRSS - before) / 1024
    }
    default:
      return question satisfies never
  }
}

process.on('message', (question: Question) => {
  void answer(question).then((value) => process.send?.(value))
})

const steps = 10

/**
 * Milliseconds from the last byte of a streamed turn to the next request, in the median: everything between, the tool among it, which
 * answers at once.
 */
async function measureGap(rounds: number): Promise<number> {
  const gaps: number[] = []
  const fetch = scriptedFetch(streamedSteps(steps), { stream: true, onGap: (ms) => gaps.push(ms) })
  const run = contestant.prepare({ fetch, stream: true, maxSteps: steps + 1 })
  for (let round = 0; round < rounds * 2; round++) {
    // The first half warms up.
    if (round === rounds) gaps.length = 0
    await run()
  }
  return median(gaps)
}
