/** Recorded text with its control characters made visible: an escape sequence in it must not reach a terminal, nor a text that runs backwards. */
export function printable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(unprintable, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const unprintable = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
