import { isObject } from './json.ts'

export interface ParsedInput {
  readonly input: unknown
  readonly invalid?: 'unparsable' | 'truncated' | undefined
}

/**
 * Parses the arguments of a call. Nothing, blanks, `null` and the string `"null"` mean no arguments: `{}` (WIRE C7, E2, G2).
 * What is no JSON object is `unparsable`, or `truncated` when the turn was cut (`cut`) and the text does not parse.
 */
export function parseToolInput(inputText: string, cut = false): ParsedInput {
  const text = inputText.trim()
  if (text === '') return cut ? { input: undefined, invalid: 'truncated' } : { input: {} }
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    return { input: undefined, invalid: cut ? 'truncated' : 'unparsable' }
  }
  if (input === null || input === 'null') return { input: {} }
  return isObject(input) ? { input } : { input, invalid: 'unparsable' }
}
