import { isObject } from '@steploop/core'
import type { ScriptedAnswer, ScriptedObject } from '../script.ts'
import type { JsonObject } from './wire-simulation.ts'

/** The model does what it is asked for: it calls the tool that is offered for the object, or writes the object down. */
export function objectAnswer(turn: ScriptedObject, request: JsonObject): ScriptedAnswer {
  const { toolName, input } = turn
  const offered = declares(request['tools'], toolName)
  return {
    type: 'answer',
    parts: [offered ? { type: 'call', toolName, input } : { type: 'text', text: JSON.stringify(input) }],
  }
}

/** Wherever the wire format puts names of tools. */
function declares(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => declares(item, name))
  if (!isObject(value)) return false
  return value['name'] === name || Object.values(value).some((member) => declares(member, name))
}
