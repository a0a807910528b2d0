import type { JsonObject } from '@steploop/core/adapter'

export const text = 'In Zürich sind es 7 °C 🌤️.'
export const said = { type: 'text', text }
export const pieces = ['In Zürich', ' sind es 7 °C 🌤️.']

export const outputText = (value: string, more: JsonObject = {}): JsonObject => ({
  type: 'output_text',
  text: value,
  annotations: [],
  logprobs: [],
  ...more,
})

export function message(content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content, ...more }
}

export const plain = message([outputText(text)])

/** A text in pieces, each with these members. */
export function deltas(where: JsonObject, type = 'response.output_text.delta'): readonly JsonObject[] {
  return pieces.map((delta) => ({ type, ...where, delta }))
}

export const thought = 'Ich prüfe Zürich.'
export const raw = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  content: [{ type: 'reasoning_text', text: thought }],
  encrypted_content: 'dmVyc2llZ2VsdA==',
}
export const twice = { ...raw, id: 'rs_2', summary: [{ type: 'summary_text', text: thought }] }
