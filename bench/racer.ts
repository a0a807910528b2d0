import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Question } from './contestant-process.ts'
import { estimate, median, type Estimate } from './measure.ts'

/** The process of a contestant. */
export interface Racer {
  readonly name: string
  readonly child: ChildProcess
  ask(question: Question): Promise<number>
}

export function startRacer(name: string): Racer {
  const child = fork(new URL('contestant-process.ts', import.meta.url), [name])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The process of ${name} ended with code ${String(code)}.`)
  })
  ended.catch(() => undefined)
  return {
    name,
    child,
    async ask(question) {
      const answered = new Promise<number>((resolve) => {
        child.once('message', (value) => resolve(Number(value)))
      })
      child.send(question)
      return Promise.race([answered, ended])
    },
  }
}

/** What a contestant took, and its ratio to the first contestant, which is the floor. */
export interface Row {
  readonly contestant: string
  readonly value: number
  readonly ratio: Estimate
}

/** Rounds are interleaved: a contestant is compared with the floor of the same round. The first `warming` rounds do not count. */
export async function compare<Named extends { readonly name: string }>(
  racers: readonly Named[],
  rounds: number,
  measure: (racer: Named, round: number) => Promise<number>,
  warming = 1,
): Promise<readonly Row[]> {
  const samples = racers.map((): { value: number[]; ratio: number[] } => ({ value: [], ratio: [] }))
  for (let round = -warming; round < rounds; round++) {
    let floor = Number.NaN
    for (const [index, racer] of racers.entries()) {
      const value = await measure(racer, round)
      if (index === 0) floor = value
      if (round < 0) continue
      samples[index]?.value.push(value)
      samples[index]?.ratio.push(value / floor)
    }
  }
  return samples.map(({ value, ratio }, index) => ({
    contestant: racers[index]?.name ?? '',
    value: median(value),
    ratio: estimate(ratio),
  }))
}
