import { failureTable } from '../../simulate/failure-table.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'

/** What the server refuses, in its words. It knows no classes of error: `type` says only that it is the server's own refusal. */
export function refused(message: string, status = 400): Rejection {
  return { status, type: 'server', message }
}

/**
 * What the server takes without a word, although it cannot have been meant: members that it does not know, results that answer nothing.
 * The simulator refuses it, and says in the message that it is alone with that.
 */
export function silentlyIgnored(message: string): Rejection {
  return { status: 400, type: 'simulator', message: `simulator: ${message} (Ollama itself would not complain)` }
}

/** A server on one's own machine asks for no key; the cloud answers like this. */
export function authorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  if (apiKey === undefined || headers['authorization'] === `Bearer ${apiKey}`) return undefined
  return refused('unauthorized', 401)
}

/** https://docs.ollama.com/api/errors: every error is one text. */
export function errorBody(rejection: Rejection): JsonObject {
  return { error: rejection.message }
}

export const failure = failureTable({
  'bad-key': refused('unauthorized', 401),
  forbidden: refused('this model requires a subscription, upgrade for access: https://ollama.com/upgrade', 403),
  'unknown-model': refused("model '{model}' not found", 404),
  'bad-request': refused('registry.ollama.ai/library/{model} does not support tools'),
  'context-overflow': refused('the input length exceeds the context length'),
  'rate-limited': refused('too many requests', 429),
  'insufficient-credit': refused('payment required', 402),
  overloaded: refused('server busy, please try again.  maximum pending requests exceeded', 503),
  'server-error': refused('an error was encountered while running the model', 500),
})
