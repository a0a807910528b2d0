import type { ScriptedAnswer } from '../script.ts'
import { wireReader } from '../wires/wire-readers.ts'
import type { JsonObject } from './wire-simulation.ts'

/** An answer whose calls bear the names that the request declares, where the script tells tools by their descriptions. */
export function asDeclared(answer: ScriptedAnswer, request: JsonObject, wire: string): ScriptedAnswer {
  if (!answer.parts.some((part) => part.type === 'call' && part.described !== undefined)) return answer
  const tools = wireReader(wire)?.read(request).tools ?? []
  const parts = answer.parts.map((part) => {
    const own = part.type === 'call' ? tools.find(({ description }) => description === part.described) : undefined
    return part.type === 'call' && own !== undefined ? { ...part, toolName: own.name } : part
  })
  return { ...answer, parts }
}
