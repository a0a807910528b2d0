import type { Adapter } from '../../src/contract/adapter.ts'
import type { PrepareStepContext, RunOptions, StepEdit, StepLoopOptions } from '../../src/options/loop-options.ts'
import type { StandardResult, StandardSchema } from '../../src/tools/standard-schema.ts'
import type { ToolSet } from '../../src/tools/tool.ts'
import type { Usage } from '../../src/contract/usage.ts'
import type { HookDraw } from './draw.ts'
import { makeModels, makeTools } from './actors.ts'
import type { Middleware } from '../../src/options/middleware.ts'
import { jsonCopy, type AppLog, type Around } from './observation.ts'
import type { World } from './world.ts'
import type { StepContext, LoopControl, Hook } from '../../src/options/loop-hooks.ts'

export interface LoopSetup {
  readonly options: StepLoopOptions
  readonly log: AppLog
  /** Without anything that calls back, waits or stops: to see what a request would be. */
  readonly plain: (model: Adapter) => StepLoopOptions
  readonly models: readonly Adapter[]
  readonly tools: ToolSet
}

const answerSchema: StandardSchema<unknown, unknown> = {
  '~standard': {
    version: 1,
    vendor: 'property',
    validate: (value): StandardResult<unknown> =>
      /true|"key":1/.test(JSON.stringify(value) ?? '') ? { value } : { issues: [{ message: 'not ok', path: ['ok'] }] },
    jsonSchema: { input: () => ({ type: 'object', properties: { ok: { const: true } } }) },
  },
}

export function setUpLoop(world: World): LoopSetup {
  const { draw } = world
  const {
    tools: withTools,
    fallbacks,
    eager,
    continues: _continues,
    stopAfter,
    structured,
    middleware,
    ...rest
  } = draw.options
  const models = makeModels(world)
  const tools = withTools ? makeTools(world) : {}
  const log: AppLog = { acts: [], editedRuns: new Set(), editedSteps: [], snapshots: [], around: [] }
  let transcripts = 0
  const basics = {
    ...rest,
    tools,
    eagerTools: eager,
    clock: world.clock,
    random: () => 0.5,
    generateId: () => `transcript-${transcripts++}`,
    ...(structured !== undefined && { output: { schema: answerSchema, partial: true } }),
    ...(rest.maxCost !== undefined && { costOf: ({ outputTokens = 0 }: Usage) => outputTokens / 10 }),
  }
  const main = models[0]
  if (main === undefined) throw new Error('There is no model.')
  const options: StepLoopOptions = {
    ...basics,
    model: main,
    fallbacks: models.slice(1, 1 + fallbacks),
    ...hooksOf(world, log),
    ...(draw.edits.length > 0 && { prepareStep: (context) => editStep(world, models, log, context) }),
    ...(middleware && { middleware: () => lookingOn(world, log) }),
    ...(stopAfter !== undefined && { stopWhen: (steps) => steps.length >= stopAfter }),
  }
  const plain = (model: Adapter): StepLoopOptions => ({ ...basics, model, timeout: undefined })
  return { options, log, plain, models, tools }
}

const hookNames = ['onStepStart', 'onResponse', 'onToolExecuted', 'onStepEnd'] as const

function hooksOf(world: World, log: AppLog): Partial<Record<(typeof hookNames)[number], Hook>> {
  const { hooks } = world.draw
  if (hooks.length === 0) return {}
  const seen = new Map<string, number>()
  const entries = hookNames.map((name) => {
    const hook = (context: StepContext): LoopControl | undefined | Promise<undefined> => {
      world.note('hook')
      if (name === 'onStepEnd') keepSnapshot(world, log, context)
      const count = seen.get(`${world.run} ${name}`) ?? 0
      seen.set(`${world.run} ${name}`, count + 1)
      const drawn = hooks.find((one) => one.name === name && one.at === count)
      return drawn === undefined ? undefined : act(world, log, drawn.act)
    }
    return [name, hook] as const
  })
  return Object.fromEntries(entries)
}

function keepSnapshot(world: World, log: AppLog, { transcript }: StepContext): void {
  if (transcript.pendingCalls.length > 0) return
  log.snapshots.push({ run: world.run, attempts: world.attempts.length, snapshot: jsonCopy(transcript) })
}

function act(world: World, log: AppLog, what: HookDraw['act']): LoopControl | undefined | Promise<undefined> {
  log.acts.push({ run: world.run, act: what })
  switch (what) {
    case 'stop':
      return { type: 'stop', reason: 'enough' }
    case 'override':
      return { type: 'override', response: 'overridden' }
    case 'throw':
      throw new Error('hook')
    case 'hang':
      return new Promise(() => undefined)
    case 'wait':
      return world.gate().then(() => undefined)
    default:
      return what satisfies never
  }
}

function editStep(
  world: World,
  models: readonly Adapter[],
  log: AppLog,
  { steps, messages }: PrepareStepContext,
): StepEdit | undefined {
  world.note('hook')
  // A run that goes on counts on; draws are made for each run by itself.
  const step = steps.length
  const drawn = world.draw.edits.find((edit) => edit.step === step)
  if (drawn === undefined) return undefined
  log.editedSteps.push({ run: world.run, step, edit: drawn.edit })
  switch (drawn.edit) {
    case 'model':
      return { model: models[2] }
    case 'messages':
      log.editedRuns.add(world.run)
      return { messages: [...messages, { role: 'user', content: 'edited' }] }
    case 'broken-messages':
      log.editedRuns.add(world.run)
      return { messages: messages.filter((message) => message.role !== 'tool') }
    case 'instructions':
      return { instructions: 'edited' }
    case 'choice':
      return { toolChoice: 'required' }
    case 'tools':
      return world.draw.options.tools ? { activeTools: ['echo'] } : { temperature: 0.5 }
    case 'throw':
      log.acts.push({ run: world.run, act: 'edit-throw' })
      throw new Error('edit')
    default:
      return drawn.edit satisfies never
  }
}

/** Notes what begins and ends. */
function lookingOn(world: World, log: AppLog): Middleware {
  const begin = (what: Around['what'], toolCallId?: string): Around => {
    const begun = { run: world.run, what, toolCallId, over: false }
    log.around.push(begun)
    return begun
  }
  const until = <T>(begun: Around, work: Promise<T>): Promise<T> =>
    work.finally(() => {
      begun.over = true
    })
  return {
    run: (_info, next) => until(begin('run'), next()),
    turn(_info, next) {
      begin('turn')
      return next()
    },
    tool: ({ toolCall }, next) => until(begin('tool', toolCall.toolCallId), next()),
  }
}

/** What every run gets beside the loop's options. */
export function runOptions(signal: AbortSignal): RunOptions {
  return { abortSignal: signal }
}
