import { objectAt, textAt } from '../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidRequest } from './failures.ts'
import type { InputMessage } from './input-message.ts'
import { fitsThinking } from './thinking-signature.ts'

/** https://docs.claude.com/en/docs/build-with-claude/extended-thinking */
export function checkThinking(
  request: JsonObject,
  messages: readonly InputMessage[],
  known: boolean,
): Rejection | undefined {
  return checkSettings(request) ?? checkSignatures(messages, known) ?? checkLastTurn(request, messages)
}

function checkSettings(request: JsonObject): Rejection | undefined {
  const thinking = objectAt(request, 'thinking')
  if (thinking['type'] !== 'enabled') return undefined
  if (Number(thinking['budget_tokens']) >= Number(request['max_tokens'])) {
    return invalidRequest('`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  const choice = objectAt(request, 'tool_choice')['type']
  if (choice === 'any' || choice === 'tool') {
    return invalidRequest('Thinking may not be enabled when tool_choice forces tool use.')
  }
  const { temperature, top_k: topK, top_p: topP } = request
  if (temperature !== undefined && temperature !== 1) {
    return invalidRequest('`temperature` may only be set to 1 when thinking is enabled.')
  }
  if (topK !== undefined) return invalidRequest('`top_k` must be unset when thinking is enabled.')
  if (topP !== undefined && Number(topP) < 0.95) {
    return invalidRequest('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.')
  }
  return undefined
}

/** A signature belongs to one text. An empty one is no signature. */
function checkSignatures(messages: readonly InputMessage[], known: boolean): Rejection | undefined {
  for (const [index, message] of messages.entries()) {
    for (const [position, block] of message.blocks.entries()) {
      if (block['type'] !== 'thinking') continue
      const signature = textAt(block, 'signature')
      const good = known ? fitsThinking(signature, textAt(block, 'thinking')) : isBase64(signature)
      if (!good) {
        return invalidRequest(`messages.${index}.content.${position}: Invalid \`signature\` in \`thinking\` block`)
      }
    }
  }
  return undefined
}

function isBase64(signature: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature)
}

/**
 * While calls are being answered, the turn that made them has to begin with its thinking. A turn lasts from the user's question over
 * all its calls and results; the model thinks at its beginning, and in later messages of the same turn only now and then.
 */
function checkLastTurn(request: JsonObject, messages: readonly InputMessage[]): Rejection | undefined {
  if (objectAt(request, 'thinking')['type'] !== 'enabled') return undefined
  const question = messages.findLastIndex((message) => message.role === 'user' && !hasBlock(message, 'tool_result'))
  const answers = messages.slice(question + 1).filter((message) => message.role === 'assistant')
  const first = answers[0]?.blocks[0]
  if (first === undefined || isThinking(first) || !answers.some((message) => hasBlock(message, 'tool_use')))
    return undefined
  const index = messages.findIndex((message) => message === answers[0])
  return invalidRequest(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${textAt(first, 'type')}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  )
}

function hasBlock(message: InputMessage, type: string): boolean {
  return message.blocks.some((block) => block['type'] === type)
}

function isThinking(block: JsonObject): boolean {
  return block['type'] === 'thinking' || block['type'] === 'redacted_thinking'
}
