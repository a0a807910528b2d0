import type { Check, Failure } from '../check.ts'
import type { Evidence, RunRecord, SentRequest } from '../evidence.ts'

/** The key of the run must show up in the header that carries it, and nowhere else. */
export const noSecrets: Check = {
  id: 'no-secrets',
  sentence: 'The API key appears in credential headers only: in no body, URL, event, error or transcript.',
  judge: (evidence) => [
    ...evidence.runs.flatMap((run) => runFailures(run, evidence.canary)),
    ...leak(evidence.stopped, evidence, 'the error that stopped the scenario'),
  ],
}

/** A secret as it is, turned round, in hexadecimal digits, and as base64 wherever it begins in a longer text: without signs that hold others too. */
function formsOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) => btoa(' '.repeat(before) + secret).slice(4, -4))
  return [secret, secret.split('').toReversed().join(''), Buffer.from(secret).toString('hex'), ...base64]
}

function leak(value: unknown, { canary }: Pick<Evidence, 'canary'>, where: string): readonly Failure[] {
  const texts = everyText(value)
  return formsOf(canary).some((form) => texts.includes(form))
    ? [{ message: 'the API key is in there; clean what a provider or a proxy sends back before it is told', where }]
    : []
}

function runFailures(run: RunRecord, canary: string): readonly Failure[] {
  const location = `run ${run.number}`
  return [
    ...run.requests.flatMap((request, index) => requestFailures(request, canary, `${location}, request ${index + 1}`)),
    ...leak(run.events, { canary }, `${location}, events`),
    ...leak(
      run.turns.map(({ events, error }) => ({ events, error })),
      { canary },
      `${location}, turn events`,
    ),
    ...leak(run.result, { canary }, `${location}, result`),
    ...leak(run.error, { canary }, `${location}, error`),
  ]
}

const credentialHeader = /^(authorization|proxy-authorization)$|(key|token|secret)$/

function requestFailures(request: SentRequest, canary: string, where: string): readonly Failure[] {
  const headers = Object.entries(request.headers)
    .filter(([name, value]) => value.includes(canary) && !credentialHeader.test(name))
    .map(([name]) => ({ message: `the API key is in the header \`${name}\``, where }))
  const parts = { URL: request.url, body: request.text }
  const others = Object.entries(parts)
    .filter(([, text]) => text.includes(canary))
    .map(([location]) => ({ message: `the API key is in the ${location}`, where }))
  return [...headers, ...others]
}

/** All that a program could print of a value: members, messages, causes and stacks, however deep, cycles cut. */
function everyText(value: unknown): string {
  const seen = new Set<unknown>()
  const texts: string[] = []
  const visit = (item: unknown): void => {
    if (typeof item === 'string') texts.push(item)
    if (typeof item !== 'object' || item === null || seen.has(item)) return
    seen.add(item)
    for (const name of Object.getOwnPropertyNames(item)) {
      texts.push(name)
      try {
        visit(Reflect.get(item, name))
      } catch {
        // A getter that throws shows nothing.
      }
    }
  }
  visit(value)
  return texts.join('\n')
}
