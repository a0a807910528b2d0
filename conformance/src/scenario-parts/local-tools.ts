import { tool, type FunctionTool, type StandardSchema } from '@steploop/core'
import type { Execution } from '../evidence.ts'
import type { HoldOptions, LocalTools } from '../scenario-tools.ts'
import { toolDescriptions } from '../tool-descriptions.ts'
import { image } from './sample-files.ts'

type Input = Readonly<Record<string, string>>

/** `onStart` is told of each execution when it begins. */
export function localTools(onStart: (execution: Execution) => void, hold?: HoldOptions): LocalTools {
  const wait = hold === undefined ? undefined : finishInOrder(hold.order)
  const make = (toolName: string, fields: Fields, work: (input: Input) => unknown) =>
    tool<Input>({
      description: toolDescriptions[toolName],
      inputSchema: textFields(fields),
      async execute(input, { toolCallId, idempotencyKey, report }) {
        onStart({ toolName, toolCallId, idempotencyKey, input })
        report({ message: 'begun' })
        await wait?.()
        return work(input)
      },
    })
  const job = { job: 'Name of the job' }
  return {
    get_weather: make('get_weather', { city: 'Name of the city' }, weather),
    get_time: make('get_time', { tz: 'IANA time zone' }, ({ tz }) => `12:34 in ${tz} 🕛`),
    lookup_order: make('lookup_order', { id: 'Number of the order' }, orderStatus),
    list_alerts: make('list_alerts', {}, () => [{ level: 'warning', text: 'Föhn über Zürich' }]),
    restart_job: {
      ...make('restart_job', job, (input) => ({ restarted: input['job'] })),
      needsApproval: true,
    },
    take_photo: {
      ...make('take_photo', { city: 'Name of the city' }, ({ city }) => `Foto von ${city} 📷`),
      toModelOutput: (caption) => ({ type: 'content', value: [{ type: 'text', text: String(caption) }, image] }),
    },
    declared: (toolName, definition) =>
      tool({
        ...definition,
        execute(input, { toolCallId, idempotencyKey }) {
          onStart({ toolName, toolCallId, idempotencyKey, input })
          return { done: '済み ✅' }
        },
      }),
    fail: make('fail', { reason: 'Why it fails' }, ({ reason }) => {
      throw new Error(`failed on purpose: ${reason}`)
    }),
  }
}

/** The tool without its `execute`: the caller answers its calls. */
export function clientOwned(owned: FunctionTool<Input>): FunctionTool<Input> {
  return { ...owned, execute: undefined }
}

function weather({ city }: Input): unknown {
  return { city, celsius: 7, sky: '☀️ mit 雲' }
}

function orderStatus({ id }: Input): unknown {
  return { id, status: 'verschickt', to: '東京' }
}

/** Milliseconds after which calls that never begin are no longer waited for: the run goes on, and a check says what is missing. */
const patience = 250

function finishInOrder(order: readonly number[]): () => Promise<void> {
  const gates = order.map(() => Promise.withResolvers<undefined>())
  const release = (call: number | undefined): void => gates[call ?? -1]?.resolve(undefined)
  let begun = 0
  return async () => {
    const mine = begun++
    if (mine === 0) setTimeout(() => order.forEach(release), patience).unref()
    if (begun === order.length) release(order[0])
    await gates[mine]?.promise
    // After this call's own result is on its way, so that the loop sees them in this order.
    setImmediate(release, order[order.indexOf(mine) + 1])
  }
}

type Fields = Readonly<Record<string, string>>

/**
 * A schema of required texts, by hand: what a schema library prints changes with its version, and cassettes hold what was printed.
 */
function textFields(fields: Fields): StandardSchema<unknown, Input> {
  const names = Object.keys(fields)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', description: fields[name] }]))
  return {
    '~standard': {
      version: 1,
      vendor: 'steploop-conformance',
      validate(value) {
        const members: Readonly<Record<string, unknown>> =
          typeof value === 'object' && value !== null ? { ...value } : {}
        const issues = names
          .filter((name) => typeof members[name] !== 'string')
          .map((name) => ({ message: `expected a text, got ${typeof members[name]}`, path: [name] }))
        return issues.length > 0
          ? { issues }
          : { value: Object.fromEntries(names.map((name) => [name, String(members[name])])) }
      },
      jsonSchema: { input: () => ({ type: 'object', properties, required: names, additionalProperties: false }) },
    },
  }
}
