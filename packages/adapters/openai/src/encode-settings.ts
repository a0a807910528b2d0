import { strictSchema, type TurnRequest, type Warn, type Warning } from '@steploop/core/adapter'
import type { ResponseCreateParams, ResponseIncludable, ResponseTextConfig } from 'openai/resources/responses/responses'
import type { ResponsesOptions } from './dialect.ts'
import { toolFields } from './encode-tools.ts'
import { isReasoningModel } from './model-traits.ts'
import { wireToolName } from './names.ts'

/** The neutral settings in the API's fields. */
export function settingsFields(request: TurnRequest, options: ResponsesOptions, warn: Warn): object {
  const settings = request.settings ?? {}
  const reasoning = options.reasoning ?? isReasoningModel(options.model)
  const effort = reasoning ? settings.reasoning : undefined
  if (!reasoning && settings.reasoning !== undefined && settings.reasoning !== 'none') {
    warn(unsupported('reasoning', `the model '${options.model}' does not reason`))
  }
  for (const name of ['topK', 'presencePenalty', 'frequencyPenalty', 'stopSequences', 'seed'] as const) {
    if (settings[name] !== undefined) warn(unsupported(name, 'the Responses API has no such field'))
  }
  const format = request.responseFormat && formatField(request.responseFormat, warn)
  const fields: ResponseCreateParams = {
    // The next turn needs the reasoning itself, which comes encrypted, and only if asked for (docs/wire.md#openai-responses): without
    // stored responses always, and with them as soon as the provider has lost one, because a reasoning item without it is a reference to a
    // stored item.
    ...(reasoning && { include: ['reasoning.encrypted_content'] satisfies ResponseIncludable[] }),
    ...(settings.maxOutputTokens !== undefined && { max_output_tokens: settings.maxOutputTokens }),
    ...samplingFields(request, reasoning, warn),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(format && { text: { format } }),
    ...toolFields(request, options, warn),
  }
  return fields
}

/** Reasoning models refuse both while they reason: `Unsupported parameter: 'temperature' is not supported with this model.` */
function samplingFields(
  request: TurnRequest,
  reasoning: boolean,
  warn: Warn,
): Pick<ResponseCreateParams, 'temperature' | 'top_p'> | undefined {
  const { temperature, topP, reasoning: effort } = request.settings ?? {}
  if (!reasoning || effort === 'none') {
    return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) }
  }
  const why = "reasoning models take it only with `reasoning: 'none'`; `providerOptions` sends it all the same"
  if (temperature !== undefined) warn(unsupported('temperature', why))
  if (topP !== undefined) warn(unsupported('topP', why))
  return undefined
}

function formatField(format: NonNullable<TurnRequest['responseFormat']>, warn: Warn): ResponseTextConfig['format'] {
  const strict = strictSchema(format.schema)
  if (strict === undefined) {
    const message =
      'strict mode cannot express the schema (optional or open properties, or a keyword it refuses), so it is not enforced'
    warn({ type: 'coerced', path: 'responseFormat.schema', message })
  }
  return {
    type: 'json_schema',
    name: wireToolName(format.name),
    ...(format.description !== undefined && { description: format.description }),
    schema: { ...(strict ?? format.schema) },
    strict: strict !== undefined,
  }
}

function unsupported(setting: string, why: string): Warning {
  return { type: 'unsupported', path: `settings.${setting}`, message: `not sent: ${why}` }
}
