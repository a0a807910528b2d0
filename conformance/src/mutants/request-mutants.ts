import {
  repairHistory,
  type AssistantMessage,
  type Message,
  type ToolMessage,
  type ToolResultPart,
} from '@steploop/core'
import { brokenAdapter, brokenRequest, type Mutant } from './mutant.ts'

function changeTools(messages: readonly Message[], change: (message: ToolMessage) => ToolMessage): readonly Message[] {
  return messages.map((message) => (message.role === 'tool' ? change(message) : message))
}

function changeAssistants(
  messages: readonly Message[],
  change: (message: AssistantMessage) => AssistantMessage,
): readonly Message[] {
  return messages.map((message) => (message.role === 'assistant' ? change(message) : message))
}

const isContinuation = (messages: readonly Message[]): boolean => messages.some(({ role }) => role === 'tool')

export const requestMutants: readonly Mutant[] = [
  brokenRequest(
    'provider-options-first-turn-only',
    'Provider options are left out of every turn after the first.',
    (request) => (isContinuation(request.messages) ? { ...request, providerOptions: undefined } : request),
  ),
  brokenRequest('tools-missing-on-continuation', 'Tools are sent with the first turn only.', (request) =>
    isContinuation(request.messages) ? { ...request, tools: undefined, toolChoice: undefined } : request,
  ),
  brokenRequest('results-in-completion-order', 'Results stand in another order than their calls.', (request) => ({
    ...request,
    messages: changeTools(request.messages, (message) => ({ ...message, content: message.content.toReversed() })),
  })),
  brokenRequest(
    'result-by-name',
    'Results are paired by tool name, so calls of one tool all get the first result.',
    (request) => ({
      ...request,
      messages: changeTools(request.messages, ({ content }) => ({
        role: 'tool',
        content: content.map((result): ToolResultPart => {
          const first = content.find(({ toolName }) => toolName === result.toolName)
          return { ...result, output: first?.output ?? result.output }
        }),
      })),
    }),
  ),
  brokenRequest(
    'orphan-call',
    'The last result of a step is forgotten, so its call is left unanswered.',
    (request) => ({
      ...request,
      messages: changeTools(request.messages, (message) => ({
        ...message,
        content: message.content.slice(0, -1),
      })).filter((message) => message.role !== 'tool' || message.content.length > 0),
    }),
  ),
  brokenRequest('duplicate-result', 'Each result is sent twice.', (request) => ({
    ...request,
    messages: changeTools(request.messages, ({ content }) => ({ role: 'tool', content: [...content, ...content] })),
  })),
  brokenRequest('text-beside-call-lost', 'Text that came with a call is dropped from the history.', (request) => ({
    ...request,
    messages: changeAssistants(request.messages, (message) => {
      const calls = message.content.filter(({ type }) => type === 'tool-call')
      return calls.length === 0 ? message : { ...message, content: calls }
    }),
  })),
  brokenRequest('latest-step-only', 'The history keeps the latest calls and results only.', (request) => {
    const at = request.messages.findLastIndex(({ role }) => role === 'assistant')
    const kept = request.messages.filter(({ role }, index) => role === 'user' || index >= at)
    return { ...request, messages: kept }
  }),
  brokenRequest('instructions-first-turn-only', 'Instructions are left out after the first turn.', (request) =>
    isContinuation(request.messages) ? { ...request, instructions: undefined } : request,
  ),
  brokenAdapter('foreign-turns-dropped', 'Turns of another provider are left out of the history.', (adapter) => ({
    provider: adapter.provider,
    model: adapter.model,
    capabilities: adapter.capabilities,
    turn(request, context) {
      const isOwn = (message: Message): boolean =>
        message.role !== 'assistant' || message.provider === undefined || message.provider === adapter.provider
      return adapter.turn({ ...request, messages: repairHistory(request.messages.filter(isOwn)).messages }, context)
    },
  })),
  brokenAdapter(
    'state-between-turns',
    'From its fourth turn on, an instance encodes the same turn in another way.',
    (adapter) => {
      let turns = 0
      return {
        provider: adapter.provider,
        model: adapter.model,
        capabilities: adapter.capabilities,
        turn(request, context) {
          turns++
          return adapter.turn(turns < 4 ? request : { ...request, instructions: `turn ${turns}` }, context)
        },
      }
    },
  ),
  brokenAdapter(
    'identity-of-messages',
    'Messages are recognised by object identity, which JSON does not keep.',
    (adapter) => {
      let first: Message | undefined
      return {
        provider: adapter.provider,
        model: adapter.model,
        capabilities: adapter.capabilities,
        turn(request, context) {
          first ??= request.messages[0]
          const isKnown = request.messages[0] === first
          return adapter.turn(isKnown ? request : { ...request, instructions: 'who are you?' }, context)
        },
      }
    },
  ),
]
