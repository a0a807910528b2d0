/** Paths that the simulator emits although no recording has them (or not with this type). */
export interface EmissionException {
  /** `*` stands for any text. */
  readonly path: string
  readonly reason: string
}

export function matches(exception: EmissionException, path: string): boolean {
  const parts = exception.path.split('*').map((part) => part.replace(/[.[\]<>|()+?^$\\{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(path)
}

const refusal =
  'No refusal is recorded; the API reference documents the part and its two events (responses-streaming: response.refusal.delta and .done).'
const failed =
  'One failed stream is recorded, older than this member and from a plain request; every other response object of the recordings has it so.'
const echo = 'Echo of a member of the request; recorded in bodies that are not streamed.'
const sources =
  'No answer of a search model is recorded here; the guide to web search documents its annotations (platform.openai.com/docs/guides/tools-web-search).'
const limit =
  'No answer that ran out of tokens or was filtered is recorded here; the API reference documents the member.'

/** Every entry has to be needed: one that the recordings have meanwhile is a failure. */
export const emissionExceptions: Readonly<Record<string, readonly EmissionException[]>> = {
  'openai-responses': [
    { path: '*content[]<refusal>', reason: refusal },
    { path: 'stream<response.content_part.*>.part<refusal>', reason: refusal },
    { path: 'stream<response.refusal.*>', reason: refusal },
    { path: 'json.incomplete_details*', reason: limit },
    { path: 'stream<response.incomplete>', reason: limit },
    {
      path: 'json.error*',
      reason:
        'A failed response that is not streamed is not recorded; the members are those of a recorded failed stream.',
    },
    {
      path: 'stream<error>.error.code',
      reason: 'One error event is recorded; the API reference declares the code nullable.',
    },
    {
      path: 'stream<error>.error.param',
      reason: 'One error event is recorded, with null; the API reference declares a text or null.',
    },
    {
      path: 'stream<response.*<code_interpreter_call>.outputs',
      reason:
        'Streams are recorded with outputs that were asked for; without, they are null in answers that are not streamed.',
    },
    { path: 'stream<response.*>.response.previous_response_id', reason: echo },
    { path: 'stream<response.*>.response.tool_choice', reason: echo },
    { path: 'stream<response.failed>.response.completed_at', reason: failed },
    { path: 'stream<response.failed>.response.*_penalty', reason: failed },
    { path: 'stream<response.failed>.response.instructions', reason: failed },
    { path: 'stream<response.failed>.response.output[]<message>', reason: failed },
    { path: 'stream<response.failed>.response.reasoning.*', reason: failed },
  ],
  'openai-chat': [
    { path: 'json.choices[].message.annotations[]<url_citation>', reason: sources },
    { path: 'stream.choices[].delta.annotations', reason: sources },
    {
      path: 'error.error.code',
      reason:
        'One error is recorded, with a code; the other OpenAI endpoint has the same shape and a recorded code of null.',
    },
    {
      path: 'error.error.param',
      reason:
        'One error is recorded, with a param; the other OpenAI endpoint has the same shape and a recorded param of null.',
    },
    {
      path: 'json.error',
      reason:
        'An error inside a 200 is recorded from OpenRouter only (docs/wire.md#errors-inside-a-200), in this place; the simulator plays it for every dialect.',
    },
    {
      path: 'stream.error',
      reason:
        'An error inside a stream is recorded from OpenRouter and Groq only (docs/wire.md#errors-inside-a-200), in this place.',
    },
  ],
  'anthropic-messages': [
    {
      path: 'json<error>',
      reason: 'An error inside a 200 that is not streamed is not recorded; it has the shape of the recorded 400.',
    },
    {
      path: 'stream<error>',
      reason:
        'No error inside a stream is recorded; the streaming guide documents the event, with the shape of the recorded 400.',
    },
  ],
}
