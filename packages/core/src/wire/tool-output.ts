import { isObject, objectOf } from './json.ts'
import { toJsonValue } from './json-value.ts'
import type { ToolCallPart, ToolErrorCode, ToolOutput, ToolResultPart } from '../contract/messages.ts'
import type { ClientToolOutput } from '../contract/transcript.ts'

/**
 * A tool output as the one string that most wire formats want: text as it is, JSON as JSON, an error as `{"error":{...}}`,
 * content as its text parts (files left out: an adapter that cannot send them says so in `warnings`).
 */
export function toolOutputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value) ?? 'null'
    case 'error':
      return JSON.stringify({ error: output.value })
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('')
    default:
      return output satisfies never
  }
}

export function resultOf(call: ToolCallPart, output: ToolOutput): ToolResultPart {
  return { type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output }
}

/** What a tool returned, as an output: a text stays a text, anything else becomes JSON. */
export function outputOf(result: unknown): ToolOutput {
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: toJsonValue(result) }
}

/** The caller's answer to a client-owned call. */
export function clientToolOutput(answer: ClientToolOutput): ToolOutput {
  return 'output' in answer ? outputOf(answer.output) : errorOutput('tool-failed', answer.error)
}

export function errorOutput(
  code: ToolErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): ToolOutput {
  return { type: 'error', value: { code, message, ...details } }
}

/** What `toModelOutput`, say, made is the application's: no less odd than what a tool returns. Throws `TypeError` for what is no output. */
export function safeOutput(given: unknown, maker = 'toModelOutput'): ToolOutput {
  const { type, value } = objectOf(given)
  if (type === 'text' && typeof value === 'string') return { type, value }
  if (type === 'json' && value !== undefined) return { type, value: toJsonValue(value) }
  const made = toJsonValue(value)
  // It stays in the history: what an adapter cannot read would fail every request from then on.
  const isMade = type === 'content' ? Array.isArray(made) && made.every(isPart) : type === 'error' && isObject(made)
  if (isMade) return { type, value: made } as ToolOutput
  throw new TypeError(`\`${maker}\` gave no tool output. Return { type, value } at once, not a promise of it.`)
}

function isPart(part: unknown): boolean {
  const { type, text, mediaType } = objectOf(part)
  return type === 'text' ? typeof text === 'string' : type === 'file' && typeof mediaType === 'string'
}

/** The result of a call that was run with other arguments than the model gave, which has to know it. */
export function withExecutedInput(output: ToolOutput, executedInput: unknown): ToolOutput {
  const said = `This call was run with other arguments, which the approver gave: ${JSON.stringify(executedInput)}`
  switch (output.type) {
    case 'text':
      return { type: 'text', value: `${said}\n${output.value}` }
    case 'json':
      return { type: 'json', value: { executedInput, output: output.value } }
    case 'error':
      return { type: 'error', value: { ...output.value, executedInput } }
    case 'content':
      return { type: 'content', value: [{ type: 'text', text: said }, ...output.value] }
    default:
      return output satisfies never
  }
}
