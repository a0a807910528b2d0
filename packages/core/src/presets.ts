/**
 * Limits and defaults of the four systems that this loop grew from, as options to spread into a loop: `new StepLoop({ model, tools,
 * ...conversationPreset() })`. What they do beyond options is told in docs/coming-from.md.
 */
import { isObject } from './json.ts'
import type { Policy, StepLoopOptions } from './loop-options.ts'
import type { Message } from './messages.ts'
import { addPrepareStep, lastPrompt } from './policies/compose.ts'
import { finalizeAfterTools } from './policies/finalize-after-tools.ts'
import { forceFirstTool } from './policies/force-first-tool.ts'
import { retryEmpty } from './policies/retry-empty.ts'
import { checkSettings } from './policies/settings.ts'
import type { ToolSet } from './tool.ts'

/**
 * Gateways of a framework behind one central loop: one and a half batches of calls per tool (rounded up at the half), 5 without tools, one
 * call at a time, no time limit per call, stored responses continued. The run ends where the batches end.
 */
export function gatewayPreset(tools: ToolSet = {}): Partial<StepLoopOptions> {
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
export function responsesServerPreset(): Partial<StepLoopOptions> {
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
  /** Whether a prompt asks for it. Default: the words news, latest, recent, current, last, past, find, look up, search. */
  readonly impliesSearch?: ((prompt: string, messages: readonly Message[]) => boolean) | undefined
}

/**
 * A chat backend before a web page: 20 batches, one call at a time, 10 s each; arguments that are no JSON become `{}`; a search is forced when
 * the prompt asks for one; empty answers are asked for again twice; the answer is asked for after the first batch; an empty prompt becomes
 * `Hello`.
 */
export function chatBackendPreset(options: ChatBackendOptions = {}): Partial<StepLoopOptions> {
  checkSettings('chatBackendPreset', options, { searchTool: 'name', impliesSearch: 'function' })
  const { searchTool = 'search_web', impliesSearch = asksForSearch } = options
  return {
    maxSteps: 20,
    onLimit: 'incomplete',
    maxToolConcurrency: 1,
    toolTimeout: 10_000,
    temperature: 0.7,
    topP: 1,
    parallelToolCalls: true,
    onInvalidInput: (_call, { code }) => (code === 'unparsable-input' ? {} : undefined),
    policies: [
      greet,
      (given) =>
        hasTool(given, searchTool) ? forceFirstTool({ tool: searchTool, when: impliesSearch })(given) : given,
      retryEmpty({ maxRetries: 2, giveUpText: 'No additional content generated.' }),
      finalizeAfterTools(),
    ],
  }
}

function hasTool({ tools }: StepLoopOptions, name: string): boolean {
  return isObject(tools) && Object.hasOwn(tools, name)
}

/** Providers refuse a message without a word. */
const greet: Policy = (options) =>
  addPrepareStep(options, ({ step, messages }) => {
    const last = messages.at(-1)
    if (step > 0 || last?.role !== 'user' || lastPrompt(messages).trim() !== '') return undefined
    const said = typeof last.content === 'string' ? [] : last.content.filter(({ type }) => type !== 'text')
    if (said.length > 0) return undefined
    return { messages: [...messages.slice(0, -1), { role: 'user', content: 'Hello' }] }
  })

const searchWords = /news|latest|recent|current|last |past |find|look up|search/i

function asksForSearch(prompt: string): boolean {
  return searchWords.test(prompt)
}

/**
 * A cautious client: 4 batches of at most 4 calls, one at a time, 30 s in all; a tool that fails or is called with arguments that are not
 * valid, like a limit, ends the run with a `LoopError` that carries the transcript.
 */
export function conversationPreset(): Partial<StepLoopOptions> {
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
