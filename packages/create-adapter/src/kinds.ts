/** What can be scaffolded. Each kind is a folder in `templates/`. */
export const kinds = ['chat-dialect', 'http', 'own-format', 'transport', 'ai-sdk'] as const

export type Kind = (typeof kinds)[number]

/** One line each, for the question and for `--help`. */
export const kindTitles: Readonly<Record<Kind, string>> = {
  'chat-dialect': 'the provider speaks Chat Completions, perhaps with deviations',
  http: 'an HTTP format of its own: you fill in `encode` and `decode`',
  'own-format': 'the same, whole, with a simulator of your provider: nothing is like any format that is known',
  transport: 'no HTTP at all: a socket, a pipe, a model in this process',
  'ai-sdk': 'there is an AI SDK package for it already',
}

/** How streams of an own format are cut into frames. Each is a file in `templates/framings/`; `ndjson` is in the template. */
export const framings = ['ndjson', 'sse', 'binary'] as const

export type Framing = (typeof framings)[number]

export const framingTitles: Readonly<Record<Framing, string>> = {
  ndjson: 'one JSON text per line',
  sse: 'server-sent events',
  binary: 'bytes with a length before each frame',
}

export function isFraming(word: string): word is Framing {
  return framings.some((framing) => framing === word)
}

export function isKind(word: string): word is Kind {
  return kinds.some((kind) => kind === word)
}
