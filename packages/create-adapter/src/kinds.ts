/** What can be scaffolded. Each kind is a folder in `templates/`. */
export const kinds = ['chat-dialect', 'http', 'transport', 'ai-sdk'] as const

export type Kind = (typeof kinds)[number]

/** One line each, for the question and for `--help`. */
export const kindTitles: Readonly<Record<Kind, string>> = {
  'chat-dialect': 'the provider speaks Chat Completions, perhaps with deviations',
  http: 'an HTTP format of its own: you fill in `encode` and `decode`',
  transport: 'no HTTP at all: a socket, a pipe, a model in this process',
  'ai-sdk': 'there is an AI SDK package for it already',
}

export function isKind(word: string): word is Kind {
  return kinds.some((kind) => kind === word)
}
