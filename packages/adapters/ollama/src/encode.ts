import {
  encodeHistory,
  encodeOnce,
  joinJson,
  type EncodedRequest,
  type Mode,
  type ResponseFormat,
  type Origin,
  type ToolChoice,
  type ToolDefinition,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import type { ChatRequest } from 'ollama'
import { encodeMessage, encodeSystemMessage } from './encode-message.ts'
import { callerFields, encodeOptions, encodeThink } from './encode-settings.ts'
import { encodeTools } from './encode-tools.ts'

/** Makes the encoder of one adapter. Messages, tools and answer schemas are encoded once per object. */
export function createEncoder(origin: Origin): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const history = encodeHistory((message, context) => encodeMessage(message, context, origin))
  const tools = encodeOnce<readonly ToolDefinition[]>((list, warn) => encodeTools(list, warn, origin))
  const format = encodeOnce<ResponseFormat>(({ schema }) => JSON.stringify(schema))
  let system = { instructions: '', text: '' }
  return (request, mode) => {
    const warnings: Warning[] = []
    const caller = callerFields(request.providerOptions?.[origin.provider] ?? {}, warnings)
    const options = { ...encodeOptions(request.settings, warnings), ...caller.options }
    const think = encodeThink(request.settings?.reasoning, origin.model, warnings)
    const head = {
      model: origin.model,
      // The server streams unless it is told not to, so this is always said (docs/wire.md#ollama).
      stream: mode === 'stream',
      ...(think !== undefined && { think }),
      ...(Object.keys(options).length > 0 && { options }),
    } satisfies Omit<ChatRequest, 'messages' | 'tools' | 'format'>
    const { instructions = '' } = request
    if (instructions !== system.instructions) system = { instructions, text: encodeSystemMessage(instructions) }
    const wanted = 'format' in caller.top ? undefined : request.responseFormat
    const members = [
      JSON.stringify({ ...head, ...caller.top }).slice(1, -1),
      ...(wanted === undefined ? [] : [`"format":${format(wanted, warnings)}`]),
      `"messages":[${joinJson([system.text, history(request.messages, warnings)])}]`,
    ]
    if (takesTools(request.toolChoice, warnings)) {
      const own = request.tools === undefined ? '' : tools(request.tools, warnings)
      const all = joinJson([own, ...caller.tools.map((tool) => JSON.stringify(tool))])
      if (all !== '') members.push(`"tools":[${all}]`)
    }
    return { path: '/api/chat', body: `{${joinJson(members)}}`, warnings }
  }
}

/** The API has no tool choice: a model without tools calls none, and cannot be forced. */
function takesTools(choice: ToolChoice | undefined, warnings: Warning[]): boolean {
  if (choice === 'none') return false
  if (choice === undefined || choice === 'auto') return true
  const kind = typeof choice === 'object' ? choice.type : choice
  const message = `Ollama has no tool choice, so '${kind}' is left out and the model decides; ask for the call in the prompt`
  warnings.push({ type: 'coerced', path: 'toolChoice', message })
  return true
}
