import { LoopError } from '../contract/errors.ts'
import { errorText } from '../wire/error-text.ts'

/** What the application's code threw, or rejected with, is named after it. */
export function hookFailed(name: string, cause: unknown, where = ''): LoopError {
  return new LoopError('hook-failed', `\`${name}\` failed${where}: ${errorText(cause)}`, { cause })
}
