import { isObject } from '@steploop/core/adapter'
import { parsed } from '../../../json.ts'
import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'
import { findShapeFault } from '../../simulate/shape-fault.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { refused } from '../../simulate/aws-endpoint.ts'
import { requestSchema } from './request-schema.ts'

/** Refuses what Bedrock refuses, as recorded and documented. */
export function check(body: unknown): Rejection | undefined {
  if (!isObject(body)) return refused('The request body is not valid JSON.', 'SerializationException')
  const fault = findShapeFault(requestSchema, body)
  if (fault !== undefined) {
    const path = fault.path.join('.')
    return refused(`1 validation error detected: Value at '${path}' failed to satisfy constraint: ${fault.type}`)
  }
  return checkTurns(objectsAt(body, 'messages')) ?? checkTools(body) ?? checkThinking(body) ?? checkFormat(body)
}

function checkTurns(messages: readonly JsonObject[]): Rejection | undefined {
  let open: readonly string[] = []
  let role = 'assistant'
  for (const [index, message] of messages.entries()) {
    if (message['role'] === role) {
      if (index === 0)
        return refused(
          'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
        )
      return refused(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      )
    }
    role = textAt(message, 'role')
    const content = objectsAt(message, 'content')
    const rejection = checkBlocks(content, role, index) ?? checkResults(content, open, index)
    if (rejection !== undefined) return rejection
    open = content
      .filter(({ toolUse }) => isObject(toolUse))
      .map((block) => textAt(objectAt(block, 'toolUse'), 'toolUseId'))
    if (new Set(open).size < open.length)
      return refused(`messages.${index}.content contains duplicate Ids at tool use blocks.`)
  }
  if (open.length > 0) return refused(`Expected toolResult blocks for the following Ids: ${open.join(', ')}`)
  return undefined
}

function checkBlocks(content: readonly JsonObject[], role: string, index: number): Rejection | undefined {
  for (const [at, block] of content.entries()) {
    const path = `messages.${index}.content.${at}`
    if (typeof block['text'] === 'string' && block['text'].trim() === '') {
      return refused(
        `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
      )
    }
    const isModels = 'toolUse' in block || 'reasoningContent' in block || 'citationsContent' in block
    if (isModels && role === 'user') return refused(`${path}: the block is not supported in a user message.`)
    const isUsers = 'toolResult' in block || 'image' in block || 'document' in block
    if (isUsers && role === 'assistant') return refused(`${path}: the block is not supported in an assistant message.`)
    const thought = objectAt(objectAt(block, 'reasoningContent'), 'reasoningText')
    if ('text' in thought && !textAt(thought, 'signature').startsWith(signatureStart)) {
      return refused(`The model returned the following errors: ${path}: Invalid \`signature\` in \`thinking\` block`)
    }
  }
  if (content.every((block) => 'cachePoint' in block))
    return refused(`messages.${index}: a cache point needs content before it.`)
  return undefined
}

/** Every signature of the simulator begins so, and is longer. */
export const signatureStart = 'RXVZQkNrZ0lCeEFCR0FJaUNr'

function checkResults(content: readonly JsonObject[], open: readonly string[], index: number): Rejection | undefined {
  const results = content
    .filter(({ toolResult }) => isObject(toolResult))
    .map((block) => textAt(objectAt(block, 'toolResult'), 'toolUseId'))
  const unexpected = results.find((id) => !open.includes(id))
  if (unexpected !== undefined || results.length > open.length) {
    return refused(
      `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
    )
  }
  const missing = open.filter((id) => !results.includes(id))
  if (missing.length > 0)
    return refused(
      `Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(', ')}`,
    )
  const first = content.findIndex((block) => !('toolResult' in block))
  const last = content.findLastIndex((block) => 'toolResult' in block)
  return results.length > 0 && first >= 0 && first < last
    ? refused(`messages.${index}: toolResult blocks have to come before other content.`)
    : undefined
}

function checkTools(body: JsonObject): Rejection | undefined {
  const config = objectAt(body, 'toolConfig')
  const blocks = objectsAt(body, 'messages').flatMap((message) => objectsAt(message, 'content'))
  const speaksOfTools = blocks.some((block) => 'toolUse' in block || 'toolResult' in block)
  if (speaksOfTools && config['tools'] === undefined) {
    return refused('The toolConfig field must be defined when using toolUse and toolResult content blocks.')
  }
  const names = objectsAt(config, 'tools').flatMap(({ toolSpec }) =>
    isObject(toolSpec) ? [textAt(toolSpec, 'name')] : [],
  )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return refused(`The tool ${twice} is already defined at toolConfig.tools.`)
  const forced = textAt(objectAt(objectAt(config, 'toolChoice'), 'tool'), 'name')
  return forced !== '' && !names.includes(forced)
    ? refused(`The tool ${forced} of toolChoice is not defined.`)
    : undefined
}

/** Claude's own rules: a budget leaves room in the answer, takes no forced choice and no sampling. */
function checkThinking(body: JsonObject): Rejection | undefined {
  const { type, budget_tokens: budget } = objectAt(objectAt(body, 'additionalModelRequestFields'), 'thinking')
  if (type !== 'enabled') return undefined
  const { maxTokens, temperature, topP } = objectAt(body, 'inferenceConfig')
  if (typeof budget !== 'number' || budget < 1024)
    return modelRefused('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
  if (typeof maxTokens === 'number' && maxTokens <= budget)
    return modelRefused('`max_tokens` must be greater than `thinking.budget_tokens`.')
  if (temperature !== undefined && temperature !== 1)
    return modelRefused('`temperature` may only be set to 1 when thinking is enabled.')
  if (typeof topP === 'number' && topP < 0.95)
    return modelRefused('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.')
  const choice = objectAt(objectAt(body, 'toolConfig'), 'toolChoice')
  return 'any' in choice || 'tool' in choice
    ? modelRefused('Thinking may not be enabled when tool_choice forces tool use.')
    : undefined
}

function modelRefused(message: string): Rejection {
  return refused(`The model returned the following errors: ${message}`)
}

function checkFormat(body: JsonObject): Rejection | undefined {
  const { textFormat } = objectAt(body, 'outputConfig')
  if (!isObject(textFormat)) return undefined
  const schema = parsed(textAt(objectAt(objectAt(textFormat, 'structure'), 'jsonSchema'), 'schema'))
  return isObject(schema)
    ? undefined
    : refused('outputConfig.textFormat.structure.jsonSchema.schema is no JSON schema.')
}
