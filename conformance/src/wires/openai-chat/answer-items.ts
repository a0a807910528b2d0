export const text = 'In Zürich sind es 7 °C 🌤️.'
export const said = { type: 'text', text }
export const thought = { type: 'reasoning', text: 'Ich prüfe Zürich.' }

export const entry = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
export const sealed = { type: 'reasoning.encrypted', data: 'dmVyc2llZ2VsdA==', id: 'rs_1', index: 1 }
export const signed = { ...entry, text: thought.text, signature: 'c2lnbmllcnQ=' }
