/** What a provider takes as the id of a call. Packages send whatever stands in the prompt. */
const rules: Readonly<Record<string, RegExp>> = {
  mistral: /^[a-zA-Z0-9]{9}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
}

/** The id itself where the provider takes it; otherwise nine letters and digits made from it, always the same ones. */
export function acceptableCallId(id: string, namespace: string): string {
  const rule = rules[namespace]
  return rule === undefined || rule.test(id) ? id : hashed(id)
}

/** FNV-1a over the text, twice with different beginnings: enough that two ids of one conversation stay apart. */
function hashed(text: string): string {
  const digits = [0x811c9dc5, 0x01000193].map((seed) => {
    let hash = seed
    for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
    return (hash >>> 0).toString(36).padStart(7, '0')
  })
  return digits.join('').slice(5, 14)
}
