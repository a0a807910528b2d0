import { fuzz, type FuzzOptions, type FuzzOutcome } from './fuzz.ts'
import { randomModel } from '../weights/random-weights.ts'
import { startServer, type ServerKind } from '../servers/server-kind.ts'

export interface FuzzOwnOptions extends Pick<FuzzOptions, 'candidates' | 'runs' | 'seed' | 'signal' | 'onRun'> {
  readonly kind: ServerKind
}

/** Runs with the same weights; others say other things. */
const mostRuns = 250

/** Fuzzes a server of our own on weights without a meaning: in turns such that write text, and such whose bytes are often no UTF-8. */
export async function fuzzOwn({ kind, ...options }: FuzzOwnOptions): Promise<FuzzOutcome> {
  const { runs, seed, signal, onRun } = options
  const rounds = Math.max(2, Math.ceil(runs / mostRuns))
  let sum: FuzzOutcome = { server: kind.name, runs: 0, turns: 0, calls: 0, executed: 0, endings: {}, broken: [] }
  for (let round = 0; round < rounds && !signal.aborted; round++) {
    const before = Math.floor((runs * round) / rounds)
    const share = Math.floor((runs * (round + 1)) / rounds) - before
    const weights = randomModel(seed + round, round % 2 === 0 ? 'text' : 'bytes')
    const server = await startServer(kind, { weights })
    try {
      const from = { server: kind.name, url: server.url, model: undefined, apiKeyOf: () => undefined }
      const more = { runs: share, seed: seed + before, onRun: (number: number) => onRun(before + number) }
      sum = added(sum, await fuzz({ ...options, ...from, ...more }))
    } finally {
      await server.kill()
    }
  }
  return sum
}

function added(one: FuzzOutcome, other: FuzzOutcome): FuzzOutcome {
  const endings = { ...one.endings }
  for (const [ending, count] of Object.entries(other.endings)) endings[ending] = (endings[ending] ?? 0) + count
  return {
    server: one.server,
    runs: one.runs + other.runs,
    turns: one.turns + other.turns,
    calls: one.calls + other.calls,
    executed: one.executed + other.executed,
    endings,
    broken: [...one.broken, ...other.broken],
  }
}
