import type { Adapter, ToolOutput, ToolSet } from '@steploop/core'
import { brokenLoop, brokenOptions, withRequests, withTools } from './broken-loop.ts'
import { changeResults, changeTools } from './messages.ts'
import { withTurn, type Breaks } from './mutant.ts'

/** How tools run, and what becomes of what they return. */
export const executionMutants: Breaks = {
  'results-in-completion-order': brokenOptions({
    bug: 'Results stand in the order in which the tools finished.',
    killer: 'too-many-calls#order',
    change(options) {
      const finished: string[] = []
      const tools = withTools(options, (execute) => async (input, context) => {
        try {
          return await execute(input, context)
        } finally {
          finished.push(context.toolCallId)
        }
      })
      const rank = (id: string): number => (finished.includes(id) ? finished.indexOf(id) : finished.length)
      return withRequests(tools, (request) =>
        changeTools(request, ({ content }) => ({
          role: 'tool',
          content: content.toSorted((left, right) => rank(left.toolCallId) - rank(right.toolCallId)),
        })),
      )
    },
  }),
  'retry-runs-tools-again': brokenOptions({
    bug: 'An attempt that failed is repeated with the tools that ran before it.',
    killer: 'overloaded#runs-once',
    change(options) {
      const last: (() => unknown)[] = []
      const tools = withTools(options, (execute) => (...asked) => {
        last[0] = () => execute(...asked)
        return execute(...asked)
      })
      const { model } = options
      return {
        ...tools,
        model: withTurn(model, async function* (request, context) {
          try {
            yield* model.turn(request, context)
          } catch (error) {
            await last[0]?.()
            throw error
          }
        }),
      }
    },
  }),
  'usage-null-erases': brokenLoop({
    bug: 'A turn that failed has no usage, and takes that of all others with it.',
    killer: 'overloaded#usage-adds-up',
    change(options) {
      const { model } = options
      let unknown = false
      const turn: Adapter['turn'] = async function* (request, context) {
        try {
          yield* model.turn(request, context)
        } catch (error) {
          unknown = true
          throw error
        }
      }
      return {
        options: { ...options, model: withTurn(model, turn) },
        result: (result) => (unknown ? { ...result, usage: undefined } : result),
      }
    },
  }),
  'tools-run-twice': brokenOptions({
    bug: 'A tool that works is run once more when another one of its step fails.',
    killer: 'tool-throws#runs-once',
    change(options) {
      const ran: (() => unknown)[] = []
      return withTools(options, (execute) => async (...asked) => {
        try {
          const output = await execute(...asked)
          ran.push(() => execute(...asked))
          return output
        } catch (error) {
          await Promise.allSettled(ran.map((again) => again()))
          throw error
        }
      })
    },
  }),
  'late-result-counted': brokenOptions({
    bug: 'What a tool returns after its time takes the place of the error.',
    killer: 'tool-times-out#late-result-dropped',
    change(options) {
      const outputs = new Map<string, unknown>()
      const tools = withTools(options, (execute) => async (input, context) => {
        const output = await execute(input, context)
        outputs.set(context.toolCallId, output)
        return output
      })
      return withRequests(tools, async (request) => {
        // A moment for those that are late.
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        return changeResults(request, (result) => {
          const late = isCode(result.output, 'tool-timeout') ? outputs.get(result.toolCallId) : undefined
          return late === undefined ? result : { ...result, output: { type: 'json', value: late } }
        })
      })
    },
  }),
  'run-invalid-input': brokenOptions({
    bug: 'Tools run with whatever the model gives them.',
    killer: 'invalid-arguments#says-path-and-reason',
    change: (options) => ({ ...options, ...(options.tools && { tools: unchecked(options.tools) }) }),
  }),
  'tool-error-as-text': brokenOptions({
    bug: 'The model is told of a tool’s failure in a text like any other.',
    killer: 'tool-throws#error-is-json',
    change: (options) =>
      withTools(options, (execute) => async (...asked) => {
        try {
          return await execute(...asked)
        } catch (error) {
          return `Error: ${String(error)}`
        }
      }),
  }),
  'one-failure-fails-all': brokenOptions({
    bug: 'When one tool of a step fails, the results of the others are lost.',
    killer: 'tool-throws#sibling-kept',
    change(options) {
      const failures: Error[] = []
      return withTools(options, (execute) => async (...asked) => {
        try {
          const output = await execute(...asked)
          await new Promise((resolve) => setImmediate(resolve))
          if (failures[0] !== undefined) throw failures[0]
          return output
        } catch (error) {
          failures.push(new Error('a tool of this step failed', { cause: error }))
          throw error
        }
      })
    },
  }),
}

function isCode(output: ToolOutput, code: string): boolean {
  return output.type === 'error' && output.value.code === code
}

/** Schemas that find nothing wrong. */
function unchecked(tools: ToolSet): ToolSet {
  const entries = Object.entries(tools).map(([name, tool]) => {
    if (tool.type === 'provider' || !('~standard' in tool.inputSchema)) return [name, tool] as const
    const standard: unknown = tool.inputSchema['~standard']
    const lenient = { ...(standard as object), validate: (value: unknown) => ({ value }) }
    return [name, { ...tool, inputSchema: { '~standard': lenient } }] as const
  })
  return Object.fromEntries(entries) as ToolSet
}
