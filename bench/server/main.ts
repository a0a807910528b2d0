import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseMs, pieces } from './model.ts'

/**
 * `node --conditions=@steploop/source --expose-gc bench/server/main.ts [STREAMS] [ROUNDS]`: streams at once of a slow model, from the server and from one
 * written by hand that sends the same events, each in a process of its own, in turns. Prints CPU, memory of each stream, and their ratio.
 */
const [streams = 1_000, rounds = 5] = process.argv.slice(2).map(Number)

interface Used {
  readonly cpu: NodeJS.CpuUsage
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
async function readOne(url: string, agent: Agent, id: string): Promise<boolean> {
  const body = JSON.stringify({ model: 'm', input: id, stream: true })
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

async function measure(child: ChildProcess, url: string, round: number): Promise<Round> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
  const before = await used(child)
  const reading = Array.from({ length: streams }, (_, index) => readOne(url, agent, `r${round}-${index}`))
  await sleep((pieces * pauseMs) / 2)
  const middle = await used(child)
  const whole = await Promise.all(reading)
  const after = await used(child)
  if (!whole.every(Boolean)) throw new Error(`${whole.filter((one) => !one).length} streams are broken or mixed.`)
  return {
    cpuMs: (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1_000,
    memory: (middle.memory - before.memory) / streams,
    rss: (middle.rss - before.rss) / streams,
  }
}

async function start(name: string) {
  const child = fork(new URL('process.ts', import.meta.url), [name], { execArgv: [...process.execArgv] })
  const [url] = (await once(child, 'message')) as [string]
  return { name, child, url }
}

const contestants = [await start('floor'), await start('server')]
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const ratios: number[] = []
const found = new Map<string, Round[]>(contestants.map(({ name }) => [name, []]))
for (let round = -1; round < rounds; round++) {
  const both: number[] = []
  for (const { name, child, url } of contestants) {
    const one = await measure(child, url, round)
    both.push(one.cpuMs)
    if (round >= 0) found.get(name)?.push(one)
  }
  if (round >= 0) ratios.push((both[1] ?? Number.NaN) / (both[0] ?? Number.NaN))
}
for (const [name, all] of found) {
  const of = (key: keyof Round): number => median(all.map((one) => one[key]))
  const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`
  console.log(
    `${name.padEnd(6)}  ${streams} streams: ${of('cpuMs').toFixed(0)} ms of CPU, ${kilobytes(of('memory'))} each in the heap, ${kilobytes(of('rss'))} of the process`,
  )
}
console.log(`CPU against the floor: ${median(ratios).toFixed(2)}x (${ratios.map((one) => one.toFixed(2)).join(', ')})`)
for (const { child } of contestants) child.disconnect()
