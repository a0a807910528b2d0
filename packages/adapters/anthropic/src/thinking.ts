import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages'
import {
  objectOf,
  ownMetadata,
  textOf,
  type AssistantMessage,
  type Message,
  type Settings,
  type Warn,
} from '@steploop/core/adapter'
import type { ModelTraits } from './model-traits.ts'

/** What a request says about thinking. */
export interface ThinkingFields {
  readonly thinking?: object | undefined
  readonly effort?: 'low' | 'medium' | 'high' | undefined
}

/** Tokens; below the smallest default of `max_tokens`. The API's least is 1,024. */
const budgets = { low: 2048, medium: 8192, high: 24_576 } as const
const leastBudget = 1024

/**
 * `settings.reasoning` in the form that the model takes: a budget (until Claude 4.5) or adaptive thinking with an effort (from 4.6).
 * `display: summarized` is said because newer models leave the text out otherwise.
 */
export function thinkingFields(
  reasoning: Settings['reasoning'],
  traits: ModelTraits,
  maxTokens: number,
  warn: Warn,
): ThinkingFields | undefined {
  if (reasoning === undefined) return undefined
  if (reasoning === 'none') return withoutThinking(traits, warn)
  if (traits.thinking === 'adaptive') {
    return {
      thinking: { type: 'adaptive', display: 'summarized' } satisfies ThinkingConfigParam,
      effort: reasoning satisfies OutputConfig['effort'],
    }
  }
  const budget = Math.min(budgets[reasoning], Math.floor(maxTokens * 0.75))
  if (traits.thinking === 'none' || budget < leastBudget) {
    const reason =
      traits.thinking === 'none' ? 'the model cannot think' : `it needs ${leastBudget} of max_tokens and more`
    warn({ type: 'dropped', path: 'settings.reasoning', message: `Thinking is not asked for: ${reason}.` })
    return undefined
  }
  if (budget < budgets[reasoning]) {
    const message = `The thinking budget is ${budget} tokens instead of ${budgets[reasoning]}, to leave room for the answer in max_tokens.`
    warn({ type: 'coerced', path: 'settings.reasoning', message })
  }
  return { thinking: { type: 'enabled', budget_tokens: budget } satisfies ThinkingConfigParam }
}

function withoutThinking(traits: ModelTraits, warn: Warn): ThinkingFields | undefined {
  switch (traits.thinkingOff) {
    case 'nothing':
      return undefined
    case 'disabled':
      return { thinking: { type: 'disabled' } satisfies ThinkingConfigParam }
    case 'between_tools': {
      const message = 'The model cannot stop thinking altogether: it thinks between tool calls only.'
      warn({ type: 'coerced', path: 'settings.reasoning', message })
      return { thinking: { type: 'between_tools' } satisfies ThinkingConfigParam }
    }
    case 'never': {
      const message = 'The model always thinks: the effort is set to low.'
      warn({ type: 'coerced', path: 'settings.reasoning', message })
      return { effort: 'low' }
    }
    default:
      return traits.thinkingOff satisfies never
  }
}

/** Whether a `thinking` field, ours or the caller's, asks for thinking with a budget; such requests take less than others. */
export function isThinkingBudget(thinking: unknown): boolean {
  return objectOf(thinking)['type'] === 'enabled'
}

/** Whether a `thinking` field asks for thinking. */
export function asksToThink(thinking: unknown): boolean {
  return isThinkingBudget(thinking) || objectOf(thinking)['type'] === 'adaptive'
}

/**
 * Whether results of calls go back that were made without thinking: by another provider, or in a step without it. The API then refuses a
 * thinking budget: the assistant's turn, which began after the last user message, has to begin with a thinking block.
 */
export function isMissingThinking(messages: readonly Message[], provider: string, takesUnsigned: boolean): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  for (const message of messages.toReversed()) {
    if (message.role === 'user') return true
    if (message.role !== 'assistant') continue
    if (startsWithThinking(message, provider, takesUnsigned)) return false
    if (message.provider !== provider) return true
  }
  return true
}

function startsWithThinking(message: AssistantMessage, provider: string, takesUnsigned: boolean): boolean {
  const first = message.content[0]
  if (first?.type !== 'reasoning' && first?.type !== 'opaque') return false
  const own = objectOf(ownMetadata(first, provider))
  if (first.type === 'opaque') return own['type'] === 'redacted_thinking'
  // Bedrock's Converse has a redacted thought as reasoning without a text.
  if (textOf(own['signature']) !== undefined || textOf(own['redactedContent']) !== undefined) return true
  return takesUnsigned && message.provider === provider
}
