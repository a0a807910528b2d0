import type { Settings, TurnRequest, Warning, WireFormat } from '@steploop/core/adapter'
import { openaiResponses } from '@steploop/openai'
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
  return withServerTools({
    ...wire,
    encode(request, mode) {
      const warnings: Warning[] = []
      const encoded = wire.encode({ ...request, ...adaptSettings(request, model, warnings) }, mode)
      return { ...encoded, warnings: [...warnings, ...encoded.warnings] }
    },
    decodeError(status, headers, text) {
      const facts = wire.decodeError(status, headers, text)
      return { ...facts, code: errorCode(facts, status) }
    },
  })
}

/** Unlike OpenAI's API this one has `top_k`, and Grok's reasoning models take temperature and top-p, but few of them an effort. */
function adaptSettings(request: TurnRequest, model: string, warnings: Warning[]): Partial<TurnRequest> {
  const { settings = {}, providerOptions } = request
  const { topK: top_k, ...rest } = settings
  const own = { ...(top_k !== undefined && { top_k }), ...(reasons(model) && samplingOf(rest)) }
  const given = { providerOptions: { xai: { ...own, ...providerOptions?.['xai'] } } }
  if (!reasons(model)) return { settings: rest, ...given }
  const { temperature: _temperature, topP: _topP, reasoning, ...others } = rest
  const path = 'settings.reasoning'
  if (reasoning !== undefined && takesEffort(model)) {
    const effort = effortFor(model, reasoning, (message) => warnings.push({ type: 'coerced', path, message }))
    return { settings: { ...others, reasoning: effort }, ...given }
  }
  if (reasoning !== undefined) {
    warnings.push({ type: 'unsupported', path, message: `not sent: '${model}' reasons as much as it likes` })
  }
  return { settings: others, ...given }
}

function samplingOf({ temperature, topP: top_p }: Settings): object {
  return { ...(temperature !== undefined && { temperature }), ...(top_p !== undefined && { top_p }) }
}
