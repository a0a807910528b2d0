import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseMs, pieces } from './model.ts'

/**
 * `pnpm bench:server [STREAMS] [ROUNDS]`: streams at once of a slow model, from the server and from one
 * written by hand that sends the same events, each in a process of its own, in turns. Prints CPU, memory of each stream, and their ratio.
 */
const [streams = 1_000, rounds = 5] = process.argv.slice(2).map(Number)

interface Contestant {
  readonly name: string
  readonly child: ChildProcess
  readonly url: string
}

interface Used {
  /** Microseconds. */
  readonly cpu: number
  readonly memory: number
  readonly rss: number
}

interface Round {
  readonly cpuMs: number
  /** Bytes of each stream, in the middle. */
  readonly memory: number
  readonly rss: number
}

async function used(child: ChildProcess): Promise<Used> {
  const answer = once(child, 'message')
  child.send('used')
  const [now] = (await answer) as [Used]
  return now
}

/** One stream; gives whether it came whole and was nobody else's. */
async function readOne({ url, name }: Contestant, agent: Agent, id: string): Promise<boolean> {
  const isStored = name !== 'server without store'
  const body = JSON.stringify({ model: 'm', input: id, stream: true, store: isStored })
  const asked = request(`${url}/responses`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer>]
  let text = ''
  for await (const chunk of answer) text += chunk.toString()
  const deltas = text.match(/^data: .*output_text\.delta.*$/gm) ?? []
  const own = deltas.filter((line) => line.includes(`${id} says`)).length
  return own === pieces && deltas.length === pieces && text.includes('event: response.completed')
}

async function measure(contestant: Contestant, round: number): Promise<Round> {
  const { child } = contestant
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
  const before = await used(child)
  const reading = Array.from({ length: streams }, (_, index) => readOne(contestant, agent, `r${round}-${index}`))
  await sleep((pieces * pauseMs) / 2)
  const middle = await used(child)
  const whole = await Promise.all(reading)
  const after = await used(child)
  if (!whole.every(Boolean)) throw new Error(`${whole.filter((one) => !one).length} streams are broken or mixed.`)
  return {
    cpuMs: (after.cpu - before.cpu) / 1_000,
    memory: (middle.memory - before.memory) / streams,
    rss: (middle.rss - before.rss) / streams,
  }
}

async function start(name: string): Promise<Contestant> {
  const child = fork(new URL('process.ts', import.meta.url), [name], { execArgv: [...process.execArgv] })
  const [url] = (await once(child, 'message')) as [string]
  return { name, child, url }
}

const contestants = [await start('floor'), await start('server without store'), await start('server')]
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const found = new Map<string, (Round & { readonly ratio: number })[]>(contestants.map(({ name }) => [name, []]))
// In the first round, which does not count for CPU, the processes grow.
const grown: number[] = []
for (let round = -1; round < rounds; round++) {
  let floor = Number.NaN
  for (const contestant of contestants) {
    const one = await measure(contestant, round)
    if (contestant.name === 'floor') floor = one.cpuMs
    if (round < 0) grown.push(one.rss)
    else found.get(contestant.name)?.push({ ...one, ratio: one.cpuMs / floor })
  }
}
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`
for (const [index, [name, all]] of [...found].entries()) {
  const of = (key: 'cpuMs' | 'memory' | 'ratio'): number => median(all.map((one) => one[key]))
  const memory = `${kilobytes(of('memory'))} of heap each, ${kilobytes(grown[index] ?? Number.NaN)} of process`
  console.log(
    `${name}: ${streams} streams, ${of('cpuMs').toFixed(0)} ms of CPU (${of('ratio').toFixed(2)}x), ${memory}`,
  )
}
for (const { child } of contestants) child.disconnect()
