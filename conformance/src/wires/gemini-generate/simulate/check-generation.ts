import { arrayOf, objectOf } from '@steploop/core/adapter'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidArgument } from '../../simulate/google-status.ts'
import { invalidField } from './rejections.ts'

/** @param generation of the model; `undefined` when it is not known */
export function checkGeneration(request: JsonObject, generation: number | undefined): Rejection | undefined {
  const config = objectOf(request['generationConfig'])
  return (
    checkThinking(objectOf(config['thinkingConfig']), generation) ??
    checkFormat(config, hasFunctions(request), generation) ??
    checkLogprobs(config) ??
    checkCache(request)
  )
}

function checkThinking(thinking: JsonObject, generation: number | undefined): Rejection | undefined {
  if (thinking['thinkingBudget'] !== undefined && thinking['thinkingLevel'] !== undefined) {
    return invalidArgument('You can only set only one of thinking budget and thinking level.')
  }
  if (generation !== undefined && generation < 3 && thinking['thinkingLevel'] !== undefined) {
    return invalidArgument('Thinking level is not supported for this model.')
  }
  return undefined
}

function checkFormat(config: JsonObject, hasTools: boolean, generation: number | undefined): Rejection | undefined {
  const { responseSchema, responseJsonSchema, responseMimeType } = config
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    return invalidArgument('Only one of response_schema and response_json_schema can be set.')
  }
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined
  if (hasSchema && responseMimeType !== 'application/json' && responseMimeType !== 'text/x.enum') {
    return invalidField(
      ['generationConfig', 'responseSchema'],
      'response_schema can only be set with the response_mime_type application/json or text/x.enum.',
    )
  }
  if (hasTools && responseMimeType === 'application/json' && generation !== undefined && generation < 3) {
    return invalidArgument("Function calling with a response mime type: 'application/json' is unsupported")
  }
  return undefined
}

function checkLogprobs(config: JsonObject): Rejection | undefined {
  if (config['logprobs'] === undefined || config['responseLogprobs'] === true) return undefined
  return invalidField(['generationConfig', 'logprobs'], 'logprobs can only be set when response_logprobs is true.')
}

/** What the cache holds cannot be given again. */
function checkCache(request: JsonObject): Rejection | undefined {
  if (request['cachedContent'] === undefined) return undefined
  const given = ['systemInstruction', 'tools', 'toolConfig'].some((name) => request[name] !== undefined)
  if (!given) return undefined
  return invalidArgument(
    'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
  )
}

function hasFunctions(request: JsonObject): boolean {
  return arrayOf(request['tools']).some((tool) => objectOf(tool)['functionDeclarations'] !== undefined)
}
