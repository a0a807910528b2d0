import { isObject, objectOf, textOf } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import { dialectOf, wireKit } from '../wires/index.ts'
import type { WireError } from '../wires/simulate/wire-error.ts'
import { openSearch, type VariantSearch } from './variant-search.ts'
import { ownErrors } from './own-errors.ts'
import { recordedTurns, turnLocation, turnReplayer, type RecordedTurn, type TurnOutcome } from './replay-turn.ts'
import { streamPayloads } from './stream-payloads.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** A loop retries, waits or gives up by what an error is called. */
export const errors: Stressor = {
  id: 'errors',
  sentence:
    'Each error that the provider documents, or that a simulator of its own has a word for, keeps its meaning, in place of an answer and inside a stream; `retry-after` counts in the page of a gateway, too, and a date in it is read as one.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    await waitUntil(stressCase, search)
    await waitForGateway(stressCase, search)
    const { subject, mode, evidence, sweep, only } = stressCase
    if (subject.simulate !== undefined) await ownErrors(stressCase, search)
    const known = (dialectOf(subject)?.errors ?? wireKit(subject.wire)?.errors ?? []).filter(
      (error) => (error.mode ?? mode) === mode,
    )
    if (known.length === 0) return search.outcome(`nobody knows the errors of '${subject.wire}'`)
    const recorded = recordedTurns(stressCase).find(({ exchange }) => exchange.response.status === 200)
    if (recorded === undefined) return search.outcome('no answer in whose place an error could stand')
    for (const error of known) {
      const key = `errors ${mode} ${error.id}`
      if ((only === undefined && sweep.seen.has(key)) || !search.tries(error.id)) continue
      sweep.seen.add(key)
      const message = faultOf(error, await answered(stressCase, recorded, error))
      if (message === undefined) continue
      const sent = typeof error.body === 'string' ? error.body : JSON.stringify(error.body)
      const shown = `${message} for status ${error.status ?? 200} (${error.why})\n  ${sent.slice(0, 300)}`
      search.found(error.id, [{ message: shown, where: turnLocation(evidence, recorded.number) }])
    }
    return search.outcome()
  },
}

const hour = 3_600_000

/** Who reads `retry-after` as seconds has to read it as a date as well (RFC 9110, section 10.2.3). */
async function waitUntil(stressCase: StressCase, search: VariantSearch): Promise<void> {
  const { mode, sweep, only, evidence } = stressCase
  const recorded = recordedTurns(stressCase).find(({ exchange }) => exchange.response.status === 429)
  const key = `errors ${mode} retry-after`
  if (recorded === undefined || (only === undefined && sweep.seen.has(key)) || !search.tries('retry-after')) return
  sweep.seen.add(key)
  const { response } = recorded.exchange
  // A body may name a delay of its own, which wins.
  for (const body of [recorded.body, new TextEncoder().encode('{}')]) {
    const after = async (text: string): Promise<number | undefined> => {
      const headers = { 'content-type': response.headers['content-type'] ?? '', 'retry-after': text }
      const exchange = { ...recorded.exchange, response: { ...response, headers } }
      return (await turnReplayer(stressCase, { ...recorded, exchange })({ chunks: [body] })).retryAfterMs
    }
    if ((await after('7531')) !== 7_531_000) continue
    const ms = await after(new Date(Date.now() + hour).toUTCString())
    if (ms !== undefined && ms <= hour && ms > hour / 2) return
    const message = `\`retryAfterMs\` is ${ms} where \`retry-after\` names a date in an hour; seconds are read`
    return search.found('retry-after', [{ message, where: turnLocation(evidence, recorded.number) }])
  }
}

/** Who stands between says how long to wait in a header (RFC 9110, section 10.2.3), whatever the provider has for that in its bodies. */
async function waitForGateway(stressCase: StressCase, search: VariantSearch): Promise<void> {
  const { mode, sweep, only, evidence } = stressCase
  const [recorded] = recordedTurns(stressCase)
  const key = `errors ${mode} gateway`
  if (recorded === undefined || (only === undefined && sweep.seen.has(key)) || !search.tries('gateway')) return
  sweep.seen.add(key)
  // Neither JSON nor markup.
  const headers = { 'content-type': 'text/plain', 'retry-after': '7531' }
  const exchange = { ...recorded.exchange, response: { ...recorded.exchange.response, status: 503, headers } }
  const page = new TextEncoder().encode('upstream connect error, or "disconnect" & reset <before headers')
  const { error, retryAfterMs } = await turnReplayer(stressCase, { ...recorded, exchange })({ chunks: [page] })
  if (error === 'overloaded' && retryAfterMs === 7_531_000) return
  const message = `the page of a gateway with status 503 and \`retry-after: 7531\` is \`${error ?? 'no error'}\`, not \`overloaded\`, or its \`retryAfterMs\` is ${retryAfterMs}, not 7531000`
  search.found('gateway', [{ message, where: turnLocation(evidence, recorded.number) }])
}

/** The turn with the error in place of its answer, or of an event in the middle of its stream. */
function answered(stressCase: StressCase, recorded: RecordedTurn, error: WireError): Promise<TurnOutcome> {
  const { exchange } = recorded
  const text = typeof error.body === 'string' ? error.body : JSON.stringify(error.body)
  const type = exchange.response.headers['content-type'] ?? ''
  if (error.status === undefined && stressCase.mode === 'stream') {
    const stream = streamPayloads(recorded.body, type)
    const body = stream.with(new Map([[stream.payloads.length >> 1, [text]]]))
    return turnReplayer(stressCase, recorded)({ chunks: [body] })
  }
  const headers = { 'content-type': 'application/json', ...error.headers }
  const response = { ...exchange.response, status: error.status ?? 200, headers }
  const refused = { ...recorded, exchange: { ...exchange, response } }
  return turnReplayer(stressCase, refused)({ chunks: [new TextEncoder().encode(text)] })
}

function faultOf(
  { code, body, says = '', retryAfterMs, requestId }: WireError,
  outcome: TurnOutcome,
): string | undefined {
  if (outcome.error !== code) return `it is \`${outcome.error ?? 'no error'}\`, not \`${code}\`,`
  const { providerMessage = '' } = outcome
  const message = saidIn(typeof body === 'string' ? parsed(body) : body) ?? ''
  // More of the provider's words may follow.
  if (!providerMessage.startsWith(message)) return `\`providerMessage\` is '${providerMessage}', not '${message}',`
  if (!providerMessage.includes(says)) return `\`providerMessage\` is '${providerMessage}', without '${says}',`
  if (requestId !== undefined && outcome.requestId !== requestId)
    return `\`requestId\` is ${outcome.requestId}, not ${requestId},`
  if (retryAfterMs === undefined || outcome.retryAfterMs === retryAfterMs) return undefined
  return `\`retryAfterMs\` is ${outcome.retryAfterMs}, not ${retryAfterMs},`
}

/** What the provider says for people, in the envelopes that are known. */
function saidIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return saidIn(value[0])
  const { message, error, response, delta } = objectOf(value)
  const inner = [error, response, delta].find(isObject)
  return textOf(message) ?? textOf(error) ?? (inner && saidIn(inner))
}
