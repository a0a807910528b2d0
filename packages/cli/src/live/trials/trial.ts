import {
  LoopError,
  StepLoop,
  tool,
  type Adapter,
  type LoopEvent,
  type RunResult,
  type StepLoopOptions,
} from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import type { Subject } from '@steploop/conformance'
import type { Mode } from '@steploop/core'
import { z } from 'zod'
import { scriptedModel } from '../weights/scripted-weights.ts'

/** An adapter that is tried on a server, in one mode. */
export interface Candidate {
  readonly subject: Subject
  readonly mode: Mode
}

export function candidatesOf(subjects: readonly Subject[], modes: readonly Mode[]): readonly Candidate[] {
  return subjects.flatMap((subject) => modes.map((mode) => ({ subject, mode })))
}

export function candidateName({ subject, mode }: Candidate): string {
  return `${subject.name}/${mode}`
}

/** The base URL of a subject at another server: its own path stays. */
export function baseURLAt(url: string, subject: Subject): string {
  return url + new URL(subject.baseURL).pathname.replace(/\/$/, '')
}

export const prompts = {
  essay: 'Write the essay.',
  calls: 'Ask both tools.',
  endless: 'Never end.',
  file: 'Write the essay into a file.',
  look: 'Look, then write the essay into a file.',
} as const
const sentences = Array.from({ length: 40 }, (_, index) => `Sentence ${index} tells of ${index * 7} things 🌤️.`)
export const essay = sentences.join(' ')
const callOf = (name: string, input: object): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${JSON.stringify(input)}}\n</tool_call>`
export const answerToCalls = 'Zürich has 7 °C ☀️, 東京 12:34.'

/** Weights for faults: long answers, two calls with an answer after them, an answer without end, and calls that are long. */
export function trialWeights(): Uint8Array {
  const calls = `${callOf('get_weather', { city: 'Zürich' })}\n${callOf('get_time', { zone: 'Asia/Tokyo' })}`
  const answer = (text: string, isEndless = false) => ({ text, isEndless })
  const file = callOf('write_file', { path: 'essay.txt', text: essay })
  const look = `${callOf('look', { what: 'Bern' })}\n${callOf('write_file', { path: 'look.txt', text: essay.slice(0, 900) })}`
  return scriptedModel({
    answers: [
      answer(essay),
      answer(calls),
      answer(answerToCalls),
      answer('On and on', true),
      answer(file),
      answer(look),
      answer('So.'),
    ],
    cues: [
      { print: `U[${prompts.essay}]`, answer: 0 },
      { print: `U[${prompts.calls}]`, answer: 1 },
      { print: `U[${prompts.calls}]ATT`, answer: 2 },
      { print: `U[${prompts.endless}]`, answer: 3 },
      { print: `U[${prompts.file}]`, answer: 4 },
      { print: `U[${prompts.look}]`, answer: 5 },
      { print: `U[${prompts.file}]AT`, answer: 6 },
      { print: `U[${prompts.look}]ATT`, answer: 6 },
    ],
  })
}

/** Tools that note what ran. `during` is awaited in the first call. */
export function trialTools(during?: () => Promise<unknown>) {
  const ran: string[] = []
  const work = async (name: string): Promise<string> => {
    ran.push(name)
    if (ran.length === 1) await during?.()
    return `${name} done`
  }
  const tools = {
    get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => work(city) }),
    get_time: tool({ inputSchema: z.object({ zone: z.string() }), execute: ({ zone }) => work(zone) }),
  }
  return { tools, ran }
}

/** How a run went, for those who judge it. */
export interface Trial {
  readonly result: RunResult | undefined
  readonly error: unknown
  readonly events: readonly LoopEvent[]
  /** Milliseconds. */
  readonly took: number
}

export interface TrialOptions extends Omit<StepLoopOptions, 'model'> {
  readonly model: Adapter
  readonly mode: Mode
  readonly prompt: string
  readonly abortSignal?: AbortSignal | undefined
  /** With each event of a stream; `leave` ends the reading. */
  readonly onEvent?: ((event: LoopEvent, index: number) => 'leave' | undefined | Promise<void>) | undefined
}

/** Runs a loop and records all that came out of it. Never rejects. */
export async function tryRun(options: TrialOptions): Promise<Trial> {
  const { mode, prompt, onEvent, abortSignal, ...loopOptions } = options
  const events: LoopEvent[] = []
  const started = performance.now()
  const trial = (result: RunResult | undefined, error: unknown): Trial => ({
    result,
    error,
    events,
    took: performance.now() - started,
  })
  try {
    const loop = new StepLoop(loopOptions)
    const more = abortSignal === undefined ? {} : { abortSignal }
    if (mode === 'generate') return trial(await loop.generate(prompt, more), undefined)
    const stream = loop.stream(prompt, more)
    for await (const event of stream) {
      events.push(event)
      if ((await onEvent?.(event, events.length)) === 'leave') break
    }
    return trial(await stream.result, undefined)
  } catch (error) {
    return trial(undefined, error)
  }
}

/** `turn-failed from connection`, for people. */
export function errorWords(error: unknown): string {
  if (error === undefined) return 'no error'
  if (!LoopError.isInstance(error)) return `no LoopError: ${error instanceof Error ? error.message : typeof error}`
  const { cause } = error
  const from = isObject(cause) && typeof cause['code'] === 'string' ? ` from ${cause['code']}` : ''
  return `${error.code}${from}: ${error.message.slice(0, 200)}`
}
