import type { Adapter, Capabilities, TurnEvent, TurnRequest } from '../../src/contract/adapter.ts'
import { AdapterError } from '../../src/contract/errors.ts'
import type { ToolOutput } from '../../src/contract/messages.ts'
import type { StandardResult, StandardSchema } from '../../src/tools/standard-schema.ts'
import { providerTool, tool, type ToolContext, type ToolSet } from '../../src/tools/tool.ts'
import { isObject } from '../../src/wire/json.ts'
import type { LoopDraw, TurnDraw } from './draw.ts'
import { oddErrors, oddValues } from './odd-values.ts'
import { batchesOf, finishOf, responseIdOf } from './turn-script.ts'
import type { Attempt, Execution, World } from './world.ts'

export interface KeyInput {
  readonly key: number
}

/** Milliseconds that only tools which look at their signal wait. */
const veryLong = 10_000_000

export function makeTools(world: World): ToolSet {
  const effect = world.draw.options.eager ? 'read' : undefined
  const execute = (toolName: string) => (input: KeyInput, context: ToolContext) =>
    perform(world, toolName, input, context)
  return {
    echo: tool({ inputSchema: keySchema(), effect, execute: execute('echo') }),
    slow: tool({ inputSchema: keySchema(world), execute: execute('slow') }),
    plain: tool({
      inputSchema: { type: 'object' },
      effect,
      execute: (input, context) => perform(world, 'plain', input, context),
      toModelOutput,
    }),
    risky: tool({ inputSchema: keySchema(), needsApproval: true, execute: execute('risky') }),
    maybe: tool({
      inputSchema: keySchema(),
      needsApproval: async ({ key }) => {
        world.note('check')
        await world.gate()
        return key % 2 === 1
      },
      execute: execute('maybe'),
    }),
    ask: tool({ inputSchema: keySchema() }),
    search: providerTool({ provider: 'main', name: 'search', definition: { type: 'search_1' } }),
  }
}

function toModelOutput(result: unknown): ToolOutput {
  return { type: 'json', value: { made: result } }
}

/** `{ key: number }`, checked asynchronously when there is a world to wait in. */
function keySchema(world?: World): StandardSchema<unknown, KeyInput> {
  const check = (value: unknown): StandardResult<KeyInput> => {
    const key = isObject(value) ? value['key'] : undefined
    return typeof key === 'number' ? { value: { key } } : { issues: [{ message: 'not a number', path: ['key'] }] }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'property',
      validate: (value) => (world === undefined ? check(value) : checkLater(world, () => check(value))),
      jsonSchema: { input: () => ({ type: 'object', properties: { key: { type: 'number' } } }) },
    },
  }
}

async function checkLater<T>(world: World, check: () => T): Promise<T> {
  world.note('check')
  await world.gate()
  return check()
}

function perform(world: World, toolName: string, input: unknown, context: ToolContext): unknown {
  const { outcomes } = world.draw
  const outcome = outcomes[world.executions.length % outcomes.length] ?? { type: 'value', index: 0 }
  const busy = 1 + world.executions.filter((other) => !other.done).length
  const { toolCallId, idempotencyKey } = context
  const at = world.note('tool')
  const { run } = world
  const attempt = world.attempts.at(-1)
  const early = attempt?.finished === false
  const execution: Execution = {
    run,
    at,
    toolCallId,
    toolName,
    input,
    idempotencyKey,
    outcome,
    attempt,
    early,
    busy,
    done: false,
  }
  world.executions.push(execution)
  const end = (): void => {
    execution.done = true
  }
  onAbort(context.signal, end)
  context.report({ progress: world.executions.length })
  switch (outcome.type) {
    case 'hang':
      return new Promise(() => undefined)
    case 'hang-aware':
    case 'late-aware':
      return untilAborted(world, context.signal, outcome.type).finally(end)
    case 'gate':
      return world.gate().then(() => finish(world, end, { toolName, input }))
    case 'late':
      return world.later(outcome.ms).then(() => finish(world, end, { toolName, input }))
    case 'value':
    case 'throw':
    case 'reject':
      end()
      return settle(world, outcome.type, outcome.index)
    default:
      return outcome satisfies never
  }
}

function settle(world: World, type: 'value' | 'throw' | 'reject', index: number): unknown {
  if (type === 'value') return oddValues[index % oddValues.length]?.()
  const error = oddErrors[index % oddErrors.length]?.()
  world.note('tool')
  if (type === 'reject') return Promise.reject(error)
  throw error
}

function finish<T>(world: World, end: () => void, value: T): T {
  end()
  world.note('tool')
  return value
}

function onAbort(signal: AbortSignal, end: () => void): void {
  if (signal.aborted) end()
  else signal.addEventListener('abort', end)
}

function untilAborted(world: World, signal: AbortSignal, type: 'hang-aware' | 'late-aware'): Promise<unknown> {
  const aborted = new Promise((_resolve, reject) => {
    onAbort(signal, () => reject(signal.reason))
  })
  return type === 'hang-aware' ? aborted : Promise.race([aborted, world.later(veryLong)])
}

export function makeModels(world: World): readonly Adapter[] {
  return ['main', 'second', 'third'].map((provider) => makeModel(world, provider))
}

export function capabilitiesOf({ options }: LoopDraw): Capabilities {
  const { continues, structured } = options
  return {
    tools: true,
    providerTools: true,
    parallel: true,
    toolChoice: ['auto', 'none', 'required', 'tool'],
    continuation: continues,
    structured: structured !== 'tool',
    structuredWithTools: structured === 'native',
  }
}

function makeModel(world: World, provider: string): Adapter {
  const model = `${provider}-1`
  return {
    provider,
    model,
    capabilities: capabilitiesOf(world.draw),
    turn(request) {
      const attempt = recordAttempt(world, { provider, model, request })
      world.attempts.push(attempt)
      return playTurn(world, attempt)
    },
  }
}

const afterScript: TurnDraw = {
  parts: [{ type: 'text', text: 'over', signed: false }],
  finish: 'honest',
  usage: undefined,
  responseId: false,
  end: { type: 'complete' },
  delay: 0,
  batches: 'parts',
  interleaved: false,
}

function recordAttempt(
  world: World,
  { provider, model, request }: { provider: string; model: string; request: TurnRequest },
): Attempt {
  const attempt = world.attempts.length
  const drawn = world.draw.turns[attempt] ?? afterScript
  // Told to call nothing, every second model obeys.
  const obeys = request.toolChoice === 'none' && attempt % 2 === 1
  const turn = obeys ? { ...drawn, parts: drawn.parts.filter(({ type }) => type !== 'call') } : drawn
  const kept = { ...request, messages: request.messages.slice() }
  const time = world.clock.now()
  const common = { attempt, run: world.run, at: world.note('turn'), time, provider, model, request: kept, turn }
  return { ...common, finished: false, failed: undefined, failedTime: 0 }
}

async function* playTurn(world: World, attempt: Attempt): AsyncGenerator<readonly TurnEvent[], undefined> {
  const { turn, provider, model } = attempt
  const scope = { provider, model, attempt: attempt.attempt }
  if (turn.delay > 0) await world.later(turn.delay)
  world.note('turn')
  const responseId = responseIdOf(turn, scope)
  yield [{ type: 'turn-start', model, ...(responseId !== undefined && { responseId }) }]
  for (const batch of batchesOf(turn, scope)) {
    world.note('turn')
    yield batch.slice()
  }
  world.note('turn')
  const { end } = turn
  if (end.type === 'hang') await new Promise<never>(() => undefined)
  if (end.type === 'cut') return undefined
  if (end.type === 'error') {
    const { code, retryAfterMs } = end
    attempt.failedTime = world.clock.now()
    attempt.failed = new AdapterError({ provider, model, code, retryAfterMs })
    throw attempt.failed
  }
  const { usage } = turn
  attempt.finished = true
  yield [{ type: 'turn-end', finishReason: finishOf(turn), rawFinishReason: `raw-${attempt.attempt}`, usage }]
  return undefined
}
