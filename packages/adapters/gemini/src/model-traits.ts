/** What differs between models and is not announced by the API. */
export interface ModelTraits {
  /**
   * Function calls of the history have to carry a thought signature, else 400
   * (https://ai.google.dev/gemini-api/docs/thought-signatures): Gemini 3 and later.
   */
  readonly wantsSignatures: boolean
  /** How thinking is steered: by `thinkingLevel`, by `thinkingBudget`, or not at all. */
  readonly thinking: 'level' | 'budget' | 'none'
  /** Thinking cannot be switched off (`pro` models). */
  readonly alwaysThinks: boolean
  /** `thinkingLevel` knows `LOW` and `HIGH` only (the first Gemini 3 Pro). */
  readonly lowOrHighOnly: boolean
  /** JSON by schema beside function calls, built-in tools beside function calls, media in function responses: Gemini 3 and later. */
  readonly combines: boolean
}

/** Reads the generation from the id, with or without a path before it. Aliases such as `gemini-flash-latest` count as the newest. */
export function modelTraits(model: string): ModelTraits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const isGemini = name.startsWith('gemini-')
  const version = /^gemini-(\d+)(?:\.(\d+))?/.exec(name)
  const generation = version === null ? newest : Number(version[1]) + Number(`0.${version[2] ?? 0}`)
  const recent = isGemini && generation >= 3
  return {
    wantsSignatures: recent,
    thinking: recent ? 'level' : isGemini && generation >= 2.5 ? 'budget' : 'none',
    alwaysThinks: name.includes('pro'),
    lowOrHighOnly: name.startsWith('gemini-3-pro'),
    combines: recent,
  }
}

const newest = Number.POSITIVE_INFINITY
