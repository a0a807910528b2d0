import { tool, type ToolChoice } from '@steploop/core'
import { z } from 'zod'
import { brokenInvariants, type RanCall } from './invariants.ts'
import { baseURLAt, errorWords, candidateName, tryRun, type Candidate, type Trial } from './trial.ts'
import { seededRandom } from '../weights/seeded-random.ts'

export interface FuzzOptions {
  /** Name of the server. */
  readonly server: string
  readonly url: string
  /** Name of a model at the server. Default: the subject's. */
  readonly model: string | undefined
  readonly apiKeyOf: (candidate: Candidate) => string | undefined
  readonly candidates: readonly Candidate[]
  readonly runs: number
  readonly seed: number
  readonly signal: AbortSignal
  readonly onRun: (number: number) => void
}

export interface FuzzOutcome {
  readonly server: string
  readonly runs: number
  readonly turns: number
  readonly calls: number
  readonly executed: number
  /** How runs ended, each with its count. */
  readonly endings: Readonly<Record<string, number>>
  /** Each names the seed of its run. */
  readonly broken: readonly string[]
}

/** Milliseconds that one run may take: weights that mean nothing are small, but the machine may be busy. */
const longest = 120_000

/** Runs loops with drawn options, two at a time, and holds what comes out against what always has to hold. */
export async function fuzz(options: FuzzOptions): Promise<FuzzOutcome> {
  const { candidates, runs, seed, signal, onRun } = options
  const sum = { runs: 0, turns: 0, calls: 0, executed: 0 }
  const endings: Record<string, number> = {}
  const broken: string[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < runs && !signal.aborted) {
      const number = next++
      const candidate = candidates[number % candidates.length]
      if (candidate === undefined) return
      const { trial, ran } = await fuzzOne(candidate, seed + number, options)
      if (signal.aborted) return
      sum.runs++
      sum.turns += trial.result?.steps.length ?? 0
      sum.calls += trial.result?.toolCalls.length ?? 0
      sum.executed += ran.length
      const ending = endingOf(trial)
      endings[ending] = (endings[ending] ?? 0) + 1
      for (const problem of brokenInvariants(trial, ran, longest))
        broken.push(`${candidateName(candidate)}, seed ${seed + number}: ${problem}`)
      onRun(sum.runs)
    }
  }
  await Promise.all([work(), work()])
  return { server: options.server, ...sum, endings, broken }
}

function endingOf({ result, error }: Trial): string {
  if (result !== undefined) return `${result.status} ${result.stopReason}`
  return `failed: ${errorWords(error)
    .replaceAll(/[0-9a-f]{6,}|\d+/g, 'N')
    .slice(0, 160)}`
}

async function fuzzOne(
  candidate: Candidate,
  seed: number,
  { url, model, apiKeyOf, signal }: FuzzOptions,
): Promise<{ readonly trial: Trial; readonly ran: readonly RanCall[] }> {
  const random = seededRandom(seed)
  const pick = <Item>(...items: readonly [Item, ...Item[]]): Item =>
    items[Math.floor(random() * items.length)] ?? items[0]
  const { subject, mode } = candidate
  const adapter = subject.adapter({ baseURL: baseURLAt(url, subject), model, apiKey: apiKeyOf(candidate) ?? 'none' })
  const { tools, ran } = fuzzTools()
  const kinds = adapter.capabilities.toolChoice ?? []
  const choices = (['auto', 'required', 'none'] as const).filter((kind) => kinds.includes(kind))
  const trial = await tryRun({
    model: adapter,
    mode,
    prompt: pick(
      'Hello',
      'Say something about 東京 🗼.',
      `Call a tool. ${'word '.repeat(Math.floor(random() * 60))}`,
      '{"a": "\\u0000"}',
    ),
    ...(random() < 0.85 && { tools, toolChoice: pick<ToolChoice>('auto', ...choices), eagerTools: random() < 0.3 }),
    temperature: 1,
    maxOutputTokens: pick(1, 8, 40, 120, 240),
    maxSteps: pick(1, 2, 4),
    maxRetries: 1,
    abortSignal: signal,
    ...(adapter.capabilities.reasoning === true && random() < 0.3 && { reasoning: 'low' }),
  })
  return { trial, ran }
}

/** Some whose fields are all optional: half a call is easily taken for a whole one. */
function fuzzTools() {
  const ran: RanCall[] = []
  const note =
    (toolName: string) =>
    (_input: unknown, { toolCallId }: { readonly toolCallId: string }) => {
      ran.push({ toolCallId, toolName })
      return `${toolName} ran`
    }
  const text = z.string().optional()
  const tools = {
    look: tool({
      description: 'Looks',
      inputSchema: z.object({ what: text, where: text }),
      effect: 'read',
      execute: note('look'),
    }),
    write_file: tool({
      description: 'Writes',
      inputSchema: z.object({ path: z.string(), text }),
      execute: note('write_file'),
    }),
    no_arguments: tool({ description: 'Needs nothing', inputSchema: z.object({}), execute: note('no_arguments') }),
  }
  return { tools, ran }
}
