import { printCassette, writeCassette, type Cassette, type Exchange } from '@steploop/cassette'
import { bodiesEnded, createRecorder } from '@steploop/cassette/record'
import type { Subject } from '@steploop/conformance'
import { startSimulator } from '@steploop/conformance/simulator'
import type { Example, ExampleContext, Script, Take } from './example.ts'
import { adapterOf, cassettePath, defaultProvider, otherProvider, subjectOf } from './setting.ts'

/** What was recorded of one example, by file. */
export type Recording = ReadonlyMap<string, Cassette>

/**
 * Plays every take of an example against simulators, over real HTTP on the loopback interface, with the recorder in between.
 * Throws when a simulator refuses a request, or is not asked for all that its script holds.
 */
export async function recordExample(example: Example, date?: string): Promise<Recording> {
  const files = new Map<string, Cassette>()
  for (const take of example.takes) {
    for (const [path, cassette] of await recordTake(example, take, date)) {
      files.set(path, joined(files.get(path), cassette))
    }
  }
  return files
}

/** Writes each file in one step, after it was searched for secrets; throws `CassetteError` `secret-found` otherwise. */
export function writeRecording(recording: Recording): readonly string[] {
  for (const [path, cassette] of recording) writeCassette(path, cassette)
  return [...recording.keys()]
}

async function recordTake(example: Example, take: Take, date?: string): Promise<Recording> {
  const model = await startTap({ example, script: take.model, subject: subjectOf(defaultProvider), date })
  const other = await startTap({
    example,
    script: take.other ?? [],
    subject: subjectOf(otherProvider(defaultProvider)),
    date,
  })
  const answers = (take.answers ?? []).values()
  const context: ExampleContext = {
    model: model.adapter,
    other: other.adapter,
    print: () => undefined,
    ask: async () => answers.next().value ?? '',
    serve: false,
  }
  try {
    await example.run(context)
    const taps = take.other === undefined ? [model] : [model, other]
    await Promise.all(taps.map((tap) => tap.ended()))
    return new Map(taps.map((tap) => [cassettePath(example, tap.subject), tap.finish()]))
  } finally {
    await Promise.all([model.close(), other.close()])
  }
}

interface TapOptions {
  readonly example: Example
  readonly script: Script
  readonly subject: Subject
  readonly date?: string | undefined
}

/** A simulator, a recorder before it, and an adapter that asks them. */
async function startTap({ example, script, subject, date }: TapOptions) {
  const { name: provider, wire, model, baseURL: publicBaseURL } = subject
  const simulator = await startSimulator({ wire, baseURL: publicBaseURL, script })
  const origin = {
    by: `pnpm example ${example.name} --record, from the simulator`,
    ...(date !== undefined && { date }),
  }
  const recorder = createRecorder({
    publicBaseURL,
    baseURL: simulator.url,
    header: { scenario: example.name, mode: modeOf(example), provider, wire, model, origin },
    clock: () => 0,
  })
  return {
    subject,
    adapter: adapterOf(subject, recorder.fetch),
    finish(): Cassette {
      const rejection = simulator.requests.find((request) => request.rejection !== undefined)?.rejection
      if (rejection !== undefined) throw new Error(`The simulator refuses a request: ${rejection.message}`)
      if (simulator.remaining > 0) throw new Error(`${simulator.remaining} turns of the script were not asked for.`)
      return recorder.finish()
    },
    ended: () => bodiesEnded(recorder),
    close: () => simulator.close(),
  }
}

/** The programs that read events stream. */
function modeOf({ name }: Example): 'generate' | 'stream' {
  return ['chat-page', 'switch-provider', 'responses-server'].includes(name) ? 'stream' : 'generate'
}

/** Takes begin alike: an exchange that is there already is not kept twice. */
function joined(known: Cassette | undefined, more: Cassette): Cassette {
  if (known === undefined) return more
  const one = (exchange: Exchange): string =>
    printCassette({ header: more.header, exchanges: [withoutTimes(exchange)] })
  const there = new Set(known.exchanges.map(one))
  return {
    ...known,
    exchanges: [...known.exchanges, ...more.exchanges.filter((exchange) => !there.has(one(exchange)))],
  }
}

function withoutTimes({ request, response }: Exchange): Exchange {
  return { request, response: { ...response, chunks: [{ ms: 0, bytes: response.body.length }] } }
}
