import type { TurnRequest, Warning, WireFormat } from '@steploop/core'
import { openaiResponses } from '@steploop/openai'
import { mapHistory, withTextResults } from '@steploop/openai-compatible'
import { errorCode } from './errors.ts'
import { effortFor, reasons, takesEffort } from './model-traits.ts'
import { withServerTools } from './server-tools.ts'

/** How xAI deviates from OpenAI's Responses format (docs/wire.md#xai, https://docs.x.ai/docs/api-reference#create-new-response). */
export function xaiResponses(model: string, store: boolean | undefined): WireFormat {
  const wire = openaiResponses({
    provider: 'xai',
    model,
    store,
    reasoning: reasons(model),
    // The field is refused beside `previous_response_id`.
    instructions: 'message',
    toolChoice: ['auto', 'none'],
  })
  const textResults = mapHistory((message) => [withTextResults(message)])
  return withServerTools({
    ...wire,
    encode(request, mode) {
      const messages = textResults(request.messages)
      const warnings: Warning[] = messages.some((message, n) => message !== request.messages[n]) ? [filesLeftOut] : []
      const encoded = wire.encode({ ...request, messages, ...adaptSettings(request, model, warnings) }, mode)
      return { ...encoded, warnings: [...warnings, ...encoded.warnings] }
    },
    decodeError(status, headers, text) {
      const facts = wire.decodeError(status, headers, text)
      return { ...facts, code: errorCode(facts, status) }
    },
  })
}

/** Unlike OpenAI's, Grok's reasoning models take temperature and top-p, and few of them take an effort. */
function adaptSettings(request: TurnRequest, model: string, warnings: Warning[]): Partial<TurnRequest> {
  const { settings, providerOptions } = request
  if (settings === undefined || !reasons(model)) return {}
  const { temperature, topP, reasoning, ...rest } = settings
  const path = 'settings.reasoning'
  if (reasoning !== undefined && takesEffort(model)) {
    const effort = effortFor(model, reasoning, (message) => warnings.push({ type: 'coerced', path, message }))
    Object.assign(rest, { reasoning: effort })
  } else if (reasoning !== undefined) {
    warnings.push({ type: 'unsupported', path, message: `not sent: '${model}' reasons as much as it likes` })
  }
  if (temperature === undefined && topP === undefined) return { settings: rest }
  const xai = { temperature, top_p: topP, ...providerOptions?.['xai'] }
  return { settings: rest, providerOptions: { ...providerOptions, xai } }
}

const filesLeftOut: Warning = {
  type: 'coerced',
  path: 'tool.content[].output',
  message: 'xai takes only text in tool results; a text stands in place of each file',
}
