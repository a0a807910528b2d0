import {
  jsonOf,
  AdapterError,
  isObject,
  objectOf,
  providerErrorFacts,
  textOf,
  type ErrorFacts,
  type JsonObject,
  type Origin,
} from '@steploop/core/adapter'

/** The facts of a response that is not 2xx: `{"error":"..."}`, and whatever a proxy before it may answer. */
export function decodeErrorBody(status: number, headers: Headers, text: string): ErrorFacts {
  return factsOf(objectOf(jsonOf(text)), status, headers)
}

/** An error inside a 200 is an object with `error` in place of an answer. */
export function throwIfError(body: JsonObject, origin: Origin): void {
  if (textOf(body['error']) === undefined && !isObject(body['error'])) return
  throw new AdapterError({ ...origin, ...factsOf(body, inBandStatus(body)) })
}

/** The server has nothing but words, which come from itself, from its runner, or from its cloud. */
function factsOf(body: JsonObject, status: number, headers?: Headers): ErrorFacts {
  const { message, words } = saidBy(body['error'])
  return providerErrorFacts({ status, headers, message, words })
}

/** Runners answer with an object, which the server hands on as an object or as its text. */
function saidBy(error: unknown): { readonly message: string | undefined; readonly words: readonly unknown[] } {
  const text = textOf(error)
  const inner = text === undefined ? error : jsonOf(text)
  const said = objectOf(objectOf(inner)['error'] ?? inner)
  return { message: textOf(said['message']) ?? text, words: [said['type'], said['code']] }
}

/** By the status that the server would have given had the stream not begun; its default for a failing model is 500. */
function inBandStatus({ status, error }: JsonObject): number {
  const given = [status, objectOf(error)['code']].map(Number).find((value) => value >= 400)
  return given ?? statusByWords.find(([words]) => words.test(String(error)))?.[1] ?? 500
}

const statusByWords: readonly (readonly [RegExp, number])[] = [
  [/unauthorized/i, 401],
  [/not found/i, 404],
  [/too many requests|rate limit/i, 429],
  [/server busy|maximum pending requests/i, 503],
]
