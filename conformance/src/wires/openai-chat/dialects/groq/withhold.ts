import { isObject } from '@steploop/core/adapter'
import type { ScriptedAnswer } from '../../../../script.ts'
import { argumentsText, callsOf } from '../../../simulate/scripted-answer.ts'
import type { Withheld } from '../../../simulate/wire-simulation.ts'

/** Calls whose arguments are no JSON object are a fault of the model that Groq does not let out (docs/wire.md#errors-inside-a-200). */
export function withhold(answer: ScriptedAnswer): Withheld | undefined {
  const broken = callsOf(answer).find((call) => !isJsonObject(argumentsText(call)))
  // What ran out of tokens is delivered as far as it goes.
  if (broken === undefined || answer.finish === 'length') return undefined
  const generation = `{"name": ${JSON.stringify(broken.toolName)}, "arguments": ${argumentsText(broken)}}`
  return {
    rejection: {
      status: 400,
      type: 'invalid_request_error',
      code: 'tool_use_failed',
      message:
        "Failed to parse tool call arguments as JSON. Please adjust your prompt. See 'failed_generation' for more details.",
      members: { failed_generation: generation },
    },
    before: { ...answer, parts: answer.parts.filter(({ type }) => type !== 'call') },
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}
