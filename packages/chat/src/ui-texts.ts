import { AdapterError, LoopError, type ToolErrorValue } from '@steploop/core'

/** Makes what a page shows for an error: of the run, of a turn that is asked for again, of a tool. */
export type ErrorText = (error: LoopError | AdapterError | ToolErrorValue) => string

/**
 * The default: says what kind of thing went wrong and nothing of what is inside, since messages may name hosts, models and whatever a tool
 * throws. Only a missing API key is told: whoever runs the server has to hear it, and there is no secret in that.
 */
function codeOnly(error: Parameters<ErrorText>[0]): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (AdapterError.isInstance(cause) && cause.code === 'missing-api-key') return cause.message
  const what = error instanceof Error ? 'Something went wrong. Please try again.' : 'The tool could not do this.'
  return `${what} (${error.code})`
}

/** The page gets its text whatever the application's code does. */
export function safeErrorText(errorText: ErrorText = codeOnly): ErrorText {
  return (error) => {
    try {
      const text: unknown = errorText(error)
      return typeof text === 'string' ? text : codeOnly(error)
    } catch {
      return codeOnly(error)
    }
  }
}
