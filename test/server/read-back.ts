import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subject } from '@steploop/conformance'
import { detectExchange, parseRecording, type Interaction, type RecordedResponse } from '@steploop/conformance/cli'
import { StepLoop, type Adapter, type AnyTool, type Message, type Mode, type RunResult } from '@steploop/core'
import { limitToolOutput } from '@steploop/core/policies'
import { pickSubject } from '@steploop/lab'
import { createServer } from '@steploop/server'
import type { OpenStore } from '@steploop/store'
import config from '../../steploop.config.ts'

/** A recorded answer, and who decodes it. */
interface RecordedAnswer {
  readonly location: string
  readonly wire: string
  readonly mode: Mode
  readonly subject: Subject
  readonly response: RecordedResponse
}

/** Every answer in the folders of recordings that an adapter of the repository speaks. */
export function* recordedAnswers(folders: readonly string[]): Generator<RecordedAnswer> {
  for (const folder of folders) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
    // What stands at the top describes the recordings.
    for (const name of names.filter((each) => /[/\\].*\.json$/.test(each))) {
      const { interactions } = parseRecording(readFileSync(join(folder, name), 'utf8'), name)
      yield* interactions.flatMap((interaction) => answerOf(interaction, `${name} #${interaction.index}`) ?? [])
    }
  }
}

function answerOf(interaction: Interaction, location: string): RecordedAnswer | undefined {
  const detected = detectExchange(interaction)
  const { wire, mode } = detected
  const subject = pickSubject(config.subjects, detected)
  const { response } = interaction
  if (wire === undefined || mode === undefined || subject === undefined || response.bytes === undefined)
    return undefined
  return { location, wire, mode, subject, response }
}

/** The adapter over the recorded answer. What is asked after it is kept, and refused. */
function playing({ subject, mode, response }: RecordedAnswer) {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init)
    asked.push(`${request.url} ${await request.text()}`)
    if (asked.length > 1) return new Response('{}', { status: 400 })
    return new Response(response.bytes, { status: response.status, headers: response.headers })
  }
  const adapter = subject.adapter({ fetch, apiKey: 'recorded-traffic' })
  const model: Adapter = { ...adapter, turn: (request, options) => adapter.turn(request, { ...options, mode }) }
  return { model, asked }
}

const prompt = 'Hello.'
const messages = [said(prompt)]
const next = 'Go on.'
const output = 'done'
const parameters = { type: 'object', properties: {} }

const options = (names: readonly string[]) => ({
  tools: Object.fromEntries(
    names.map((name): [string, AnyTool] => [name, { type: 'function', inputSchema: parameters }]),
  ),
  policies: [limitToolOutput({ maxCharacters: 256_000 })],
  continuation: 'off' as const,
  maxRetries: 0,
  maxSteps: 10,
})

/** The request that comes after the recorded answer, from memory; `undefined` where the answer is none to go on from. */
async function nextFromMemory(answer: RecordedAnswer) {
  const first = playing(answer)
  const seen = await ended(
    new StepLoop({ model: first.model, ...options([]), unknownTools: 'client' }).generate({ messages }),
  )
  const names = [...new Set(seen?.transcript.pendingCalls.map(({ toolName }) => toolName))]
  const { model, asked } = playing(answer)
  const loop = new StepLoop({ model, ...options(names) })
  const result = await ended(loop.generate({ messages }))
  if (result === undefined || result.status === 'incomplete') return undefined
  const { transcript } = result
  const { pendingCalls } = transcript
  const outputs = pendingCalls.map(({ toolCallId }) => [toolCallId, { output }] as const)
  await ended(
    loop.generate({
      transcript,
      messages: [said(next)],
      ...(outputs.length > 0 && { toolOutputs: Object.fromEntries(outputs) }),
    }),
  )
  return { request: asked[1], names, calls: pendingCalls.map(({ toolCallId }) => toolCallId) }
}

async function ended(run: Promise<RunResult>): Promise<RunResult | undefined> {
  return run.catch(() => undefined)
}

/** The same request, from what the server kept in the store. */
async function nextFromStore(
  answer: RecordedAnswer,
  { names, calls }: { readonly names: readonly string[]; readonly calls: readonly string[] },
  store: OpenStore,
): Promise<string | undefined> {
  const { model, asked } = playing(answer)
  const server = createServer({ models: { m: model }, store, loop: { maxRetries: 0 } })
  const ask = async (body: object): Promise<Readonly<Record<string, unknown>>> => {
    const tools = names.map((name) => ({ type: 'function', name, parameters }))
    const init = { method: 'POST', body: JSON.stringify({ model: 'm', tools, ...body }) }
    const response = await server.fetch(new Request('http://127.0.0.1/v1/responses', init))
    return (await response.json()) as Record<string, unknown>
  }
  const first = await ask({ input: prompt })
  if (typeof first['id'] !== 'string') return JSON.stringify(first)
  const results = calls.map((call_id) => ({ type: 'function_call_output', call_id, output }))
  const second = await ask({
    previous_response_id: first['id'],
    input: [...results, { role: 'user', content: [{ type: 'input_text', text: next }] }],
  })
  return asked[1] ?? JSON.stringify(second)
}

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

export interface ReadBack {
  /** Requests that are the same byte for byte, by wire format. */
  readonly equal: Readonly<Record<string, number>>
  /** The others: where, and both. */
  readonly different: readonly string[]
}

/** Compares the request that comes after each answer. */
export async function readBack(answers: Iterable<RecordedAnswer>, store: OpenStore): Promise<ReadBack> {
  const equal: Record<string, number> = {}
  const different: string[] = []
  for (const answer of answers) {
    const remembered = await nextFromMemory(answer)
    if (remembered?.request === undefined) continue
    const stored = await nextFromStore(answer, remembered, store)
    if (stored === remembered.request) equal[answer.wire] = (equal[answer.wire] ?? 0) + 1
    else different.push(`${answer.location}\n  memory: ${remembered.request}\n  store:  ${stored}`)
  }
  return { equal, different }
}
