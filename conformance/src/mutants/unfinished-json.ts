/** JSON that was cut off, closed with the quotes and brackets that it lacks: what lenient parsers make of it. */
export function closed(text: string): string {
  const open: string[] = []
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{') open.push('}')
    else if (character === '[') open.push(']')
    else if (character === '}' || character === ']') open.pop()
  }
  return text + (quoted ? '"' : '') + open.toReversed().join('')
}
