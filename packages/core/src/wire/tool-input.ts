import { isObject } from './json.ts'

export interface ParsedInput {
  readonly input: unknown
  readonly invalid?: 'unparsable' | 'truncated' | undefined
}

/**
 * Parses the arguments of a call. Nothing, blanks, `null` and the string `"null"` mean no arguments: `{}` (docs/wire.md#chat-whole-calls,
 * docs/wire.md#anthropic-empty-input, docs/wire.md#cohere). What is no JSON object, or is nested over 1000 deep, is `unparsable`, or
 * `truncated` when the turn was cut (`cut`) and the text does not parse.
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
  // Such input could be parsed here, but neither compared, nor stored, nor sent back.
  if (text.length > 2 * deepest && isDeeper(input, deepest)) return { input: undefined, invalid: 'unparsable' }
  return isObject(input) ? { input } : { input, invalid: 'unparsable' }
}

/** `JSON.stringify` fails some levels above this. */
const deepest = 1000

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
