import { printCassette } from '@steploop/cassette'
import { inspectCassette } from '@steploop/cassette/inspect'
import { createRecorder } from '@steploop/cassette/record'
import type { Failure } from '../check.ts'
import { described } from '../described.ts'
import { noSecrets } from '../judge/secrets-check.ts'
import type { Evidence } from '../evidence.ts'
import { timeline } from '../judge/timeline.ts'
import { canary, playScenario } from '../play/play-scenario.ts'
import { traceOf } from '../judge/trace/trace.ts'
import { openSearch } from './variant-search.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** Keys come back in the oddest locations, and must not go on from there. */
export const secrets: Stressor = {
  id: 'secrets',
  sentence:
    'A key that a provider, a proxy or a broken fetch sends back appears in no event, error, result, transcript, trace, report or cassette.',
  async run(stressCase) {
    const { sweep, mode, only } = stressCase
    const search = openSearch(stressCase)
    // How an adapter tells of a failure does not depend on what was asked: one case of each mode shows it.
    if (only === undefined && sweep.seen.has(`secrets ${mode}`)) return search.outcome()
    sweep.seen.add(`secrets ${mode}`)
    for (const location of locations) {
      if (!search.tries(location.id)) continue
      const evidence = await echoed(stressCase, location)
      const found = [canary, ...Object.values(headerKeys)].flatMap((key) => leaks(evidence, key))
      search.found(
        location.id,
        found.slice(0, 1).map(({ message, where }) => ({ message: `with ${location.title}: ${message}`, where })),
      )
    }
    if (search.tries('cassette')) search.found('cassette', await recorded(stressCase))
    return search.outcome()
  },
}

/** Keys that the caller gives as headers of a run, by header. */
const headerKeys = {
  'x-gateway-api-key': 'steploop-canary-gateway-51c8',
  cookie: 'session=steploop-canary-cookie-77ab',
}

const everyKey = [canary, ...Object.values(headerKeys)].join(' ')

interface Location {
  readonly id: string
  /** What comes back, after "with". */
  readonly title: string
  readonly respond: (contentType: string) => Response
}

const locations: readonly Location[] = [
  {
    id: 'refusal',
    title: 'the keys in the message and the headers of a refusal',
    respond: () =>
      Response.json(
        {
          error: { message: `Incorrect API key provided: ${everyKey}`, type: 'invalid_request_error', param: everyKey },
        },
        { status: 401, headers: { 'www-authenticate': everyKey } },
      ),
  },
  {
    id: 'page',
    title: 'the keys in the page of a proxy',
    respond: () =>
      new Response(`<html><title>Bad gateway</title>${everyKey}</html>`, {
        status: 502,
        headers: { 'content-type': 'text/html' },
      }),
  },
  {
    id: 'broken-answer',
    title: 'the keys in an answer that does not parse',
    respond: (type) => answered(type, `{"text": "${everyKey}`),
  },
  {
    id: 'wrong-answer',
    title: 'the keys in an answer that is none',
    respond: (type) => answered(type, JSON.stringify({ unheard_of: everyKey })),
  },
  {
    id: 'error-in-200',
    title: 'the keys in an error inside of a 200',
    respond: (type) =>
      answered(
        type,
        JSON.stringify({ type: 'error', error: { message: `bad key ${everyKey}`, type: 'auth', code: 401 } }),
      ),
  },
  {
    id: 'fetch',
    title: 'the keys in what `fetch` throws',
    respond() {
      throw new TypeError(`fetch failed, sent ${everyKey}`, { cause: new Error(`socket closed after ${everyKey}`) })
    },
  },
]

function answered(type: string, text: string): Response {
  const body = type.startsWith('text/event-stream') ? `data: ${text}\n\n` : `${text}\n`
  return new Response(body, { status: 200, headers: { 'content-type': type } })
}

async function echoed(stressCase: StressCase, location: Location): Promise<Evidence> {
  const { subject, scenario, mode, deadline, cassette } = stressCase
  const type = cassette.exchanges[0]?.response.headers['content-type'] ?? 'application/json'
  const played = await playScenario({
    subject,
    scenario,
    mode,
    deadline,
    fetch: async () => location.respond(type),
    instantPauses: true,
    override: { maxRetries: 0, headers: headerKeys },
  })
  return { ...played, replayProblems: [] }
}

function leaks(evidence: Evidence, key: string): readonly Failure[] {
  const reported = timeline(evidence).join('\n')
  const traced = JSON.stringify(traceOf(evidence.runs))
  const named = key === canary ? 'the API key' : `the key of a header that the caller gave (${key.slice(0, 24)}…)`
  const runs = evidence.runs.map((run) => ({ ...run, requests: [] }))
  const parts = noSecrets.judge({ ...evidence, runs, canary: key })
  return [
    ...parts.map(({ where }) => ({ message: `${named} is in there`, where })),
    ...(reported.includes(key) ? [{ message: `${named} is in the report`, where: 'timeline' }] : []),
    ...(traced.includes(key) ? [{ message: `${named} is in the trace` }] : []),
  ]
}

/** A recording of the refusal: the key is not in the file, or the file is refused. */
async function recorded({ subject, scenario, mode, deadline }: StressCase): Promise<readonly Failure[]> {
  const { name, wire, model, baseURL } = subject
  const origin = { kind: 'simulated', by: 'secrets', date: '2026-01-01' } as const
  const recorder = createRecorder({
    publicBaseURL: baseURL,
    header: { scenario: scenario.id, mode, provider: name, wire, model, origin },
    fetch: async () => Response.json({ error: { message: 'refused' } }, { status: 401 }),
  })
  const { fetch } = recorder
  await playScenario({ subject, scenario, mode, deadline, fetch, override: { maxRetries: 0, headers: headerKeys } })
  let text: string
  try {
    text = printCassette(recorder.finish())
  } catch (error) {
    return [{ message: `the run cannot be recorded: ${described(error)}` }]
  }
  const keys = [canary, ...Object.values(headerKeys)].filter((key) => text.includes(key))
  if (keys.length === 0) return []
  const env = Object.fromEntries(keys.map((key, at) => [`CANARY_${at}_KEY`, key]))
  const { problems } = inspectCassette(new TextEncoder().encode(text), 'secrets.yaml', { env })
  if (problems.some(({ rule }) => rule === 'secret')) return []
  return [{ message: `a key is in the cassette: ${keys.join(', ')}`, where: 'request 1' }]
}
