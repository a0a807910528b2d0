import type { ScriptedProviderCall } from '../../simulate/scripted-answer.ts'
import type { JsonObject } from '../../simulate/wire-simulation.ts'

/**
 * What Google runs itself: code stands in parts of its own (https://ai.google.dev/gemini-api/docs/code-execution), a search in a call and a
 * response of a tool where the request asks for them. Ids are recorded of Gemini 3 and later only.
 */
export function serverParts(call: ScriptedProviderCall, id: string | undefined): readonly JsonObject[] {
  const named = id === undefined ? {} : { id }
  if (call.tool === 'code') {
    return [
      { executableCode: { language: 'PYTHON', code: call.text, ...named } },
      { codeExecutionResult: { outcome: call.fails ? 'OUTCOME_FAILED' : 'OUTCOME_OK', output: call.output, ...named } },
    ]
  }
  const toolType = 'GOOGLE_SEARCH_WEB'
  return [
    { toolCall: { toolType, args: { queries: [call.text] }, ...named } },
    { toolResponse: { toolType, response: { search_suggestions: call.output }, ...named } },
  ]
}
