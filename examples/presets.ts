/** Recipes: limits and defaults of other systems, to spread into the options of a loop. What they do beyond options: docs/presets.md. */
import type { AnyTool, Message, Policy, PrepareStepContext, StepEdit, StepLoopOptions, ToolSet } from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import {
  finalizeAfterTools,
  forceFirstTool,
  parseTimeConstraints,
  refineInput,
  retryEmpty,
} from '@steploop/core/policies'

/** Options without those that belong to the application: a preset may be spread before or after them. */
export type Preset = Omit<Partial<StepLoopOptions>, 'model' | 'tools' | 'activeTools' | 'toolChoice' | 'output'>

/**
 * Gateways of a framework behind one central loop: one and a half batches of calls per tool (rounded up at the half), 5 without tools, one
 * call at a time, no time limit per call, stored responses continued. The run ends where the batches end.
 */
export function gatewayPreset(tools: ToolSet = {}): Preset {
  const count = Object.keys(tools).length
  return {
    maxSteps: count === 0 ? 5 : Math.round(count * 1.5),
    onLimit: 'incomplete',
    maxToolConcurrency: 1,
    toolTimeout: 0,
    continuation: 'auto',
  }
}

/**
 * A server that runs its own tools and leaves the rest to its client: 10 batches, then `incomplete`; 30 s per call, failures as JSON to the
 * model, unknown names are the client's, nothing is stored at the provider on the way.
 */
export function responsesServerPreset(): Preset {
  return {
    maxSteps: 10,
    onLimit: 'incomplete',
    toolTimeout: 30_000,
    onToolError: 'answer',
    unknownTools: 'client',
    continuation: 'off',
  }
}

export interface ChatBackendOptions {
  /** Name of the web search, which is forced when the prompt asks for it. Default `search_web`. */
  readonly searchTool?: string | undefined
  /**
   * Whether a prompt asks for it; the system prompt is the first of `messages`. Default: the words news, latest, recent, current, last,
   * past, find, look up and search in the prompt or the system prompt, or a time that `timeConstraints` finds there.
   */
  readonly impliesSearch?: ((prompt: string, messages: readonly Message[]) => boolean) | undefined
  /**
   * What a text says about time, for the fields `time_hint`, `after` and `before` of a search that the model left out. Default
   * `parseTimeConstraints`.
   */
  readonly timeConstraints?: ((text: string, now: Date) => TimeFields | undefined) | undefined
}

/** What a search takes. */
type TimeFields = Readonly<Partial<Record<'time_hint' | 'after' | 'before', unknown>>>

/**
 * A chat backend before a web page: 20 batches, one call at a time, 10 s each; arguments that are no JSON become `{}`; a search is forced when
 * the prompt asks for one, and gets the times that the prompt names; empty answers are asked for again twice; the answer is asked for after
 * each batch; an empty prompt becomes `Hello`. A tool may answer `{ success, result }` or `{ success, error }`, which is a failure then.
 */
export function chatBackendPreset(options: ChatBackendOptions = {}): Preset {
  const { searchTool: tool = 'search_web', timeConstraints = parseTimeConstraints } = options
  return {
    maxSteps: 20,
    onLimit: 'incomplete',
    maxToolConcurrency: 1,
    toolTimeout: 10_000,
    temperature: 0.7,
    topP: 1,
    parallelToolCalls: true,
    onInvalidInput: (_call, { code }) => (code === 'unparsable-input' ? {} : undefined),
    preset: (given) => {
      const now = (): Date => new Date(given.clock?.now() ?? Date.now())
      const timesIn = (prompt: string, messages: readonly Message[]): TimeFields | undefined =>
        timeConstraints(prompt, now()) ?? timeConstraints(systemPrompt(messages), now())
      const { impliesSearch: when = (...said) => hasSearchWord(...said) || timesIn(...said) !== undefined } = options
      const searching = [
        forceFirstTool({ tool, when }),
        refineInput({ tool, fill: (...said) => timesIn(...said) ?? {} }),
      ]
      const policies = [
        greet,
        openEnvelopes,
        ...(hasTool(given, tool) ? searching : []),
        // Before the one that gives up.
        finalizeAfterTools(),
        retryEmpty({ maxRetries: 2, giveUpText: 'No additional content generated.' }),
      ]
      return policies.reduce((made, policy) => policy(made), given)
    },
  }
}

/** System prompt of the conversation as policies see it. */
function systemPrompt([first]: readonly Message[]): string {
  return first?.role === 'system' ? first.content : ''
}

function hasTool({ tools }: StepLoopOptions, name: string): boolean {
  return tools !== undefined && Object.hasOwn(tools, name)
}

/** Providers refuse a message without a word. What the application's own `prepareStep` says wins. */
const greet: Policy = (options) => ({
  ...options,
  prepareStep: async (context) => {
    const edit = await options.prepareStep?.(context)
    const greeting = greeted(context)
    return edit?.messages === undefined ? { ...edit, ...greeting } : edit
  },
})

function greeted({ step, messages }: PrepareStepContext): StepEdit | undefined {
  const last = messages.at(-1)
  if (step > 0 || last?.role !== 'user') return undefined
  const parts = typeof last.content === 'string' ? [{ type: 'text', text: last.content } as const] : last.content
  if (parts.some((part) => part.type !== 'text' || part.text.trim() !== '')) return undefined
  return { messages: [...messages.slice(0, -1), { role: 'user', content: 'Hello' }] }
}

/**
 * Opens the envelopes of tools that answer `{ success: true, result }` or `{ success: false, error }`, of which the model gets the one or the
 * other.
 */
const openEnvelopes: Policy = (options) =>
  options.tools === undefined
    ? options
    : {
        ...options,
        tools: Object.fromEntries(Object.entries(options.tools).map(([name, tool]) => [name, withOpenAnswers(tool)])),
      }

function withOpenAnswers(tool: AnyTool): AnyTool {
  if (tool.type !== 'function' || tool.execute === undefined || tool.toModelOutput !== undefined) return tool
  const { execute } = tool
  return { ...tool, execute: async (input: never, context) => contentOf(await execute(input, context)) }
}

const envelopeNames = new Set(['success', 'result', 'error'])

function contentOf(given: unknown): unknown {
  if (!isObject(given) || typeof given['success'] !== 'boolean') return given
  if (!Object.keys(given).every((name) => envelopeNames.has(name))) return given
  const { success, result = {}, error } = given
  if (success) return result
  throw new Error(typeof error === 'string' && error !== '' ? error : 'Tool execution failed')
}

const searchWords = /news|latest|recent|current|last |past |find|look up|search/i

function hasSearchWord(prompt: string, messages: readonly Message[]): boolean {
  return searchWords.test(`${systemPrompt(messages)} ${prompt}`)
}

/**
 * A cautious client: 4 batches of at most 4 calls, one at a time, 30 s in all; a tool that fails or is called with arguments that are not
 * valid, like a limit, ends the run with a `LoopError` that carries the transcript.
 */
export function conversationPreset(): Preset {
  return {
    maxSteps: 4,
    maxToolCallsPerStep: 4,
    maxToolConcurrency: 1,
    timeout: 30_000,
    toolTimeout: 0,
    onLimit: 'throw',
    onToolError: 'throw',
    onInvalidInput: (_call, { message }) => {
      throw new TypeError(message)
    },
  }
}
