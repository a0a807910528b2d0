/** A list of words that stand in a text, between blanks and line ends. */
export function wordsIn(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
