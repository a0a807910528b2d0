/**
 * In what our requests may differ from recorded ones, each with the reason. The recorded clients are loops of other people: where one says
 * less than the model said, or says it in words of its own, the recorded response is the judge, and a difference is allowed only where our
 * request is what the response says.
 */
export const allowances = {
  'calls-left-out':
    'The recorded client dropped calls of the model, or left them without a result; every call goes back, and with a result.',
  'input-rewritten': 'The recorded client changed the arguments of a call; they go back as the model gave them.',
  'unusable-arguments':
    'The arguments of a call are no JSON object: it is not run, goes back with {}, and is answered in words of the loop.',
  'text-left-out':
    'The recorded client left out text of the model, or spaces of it; it goes back as the model said it.',
  'blank-text':
    'The provider refuses blank text: where the model said blanks, the recorded client says a placeholder; ours leaves the block out.',
  'opaque-left-out':
    'The recorded client left out signatures or encrypted items; all that the provider gave goes back.',
  'opaque-repeated': 'The recorded client put one signature on several parts; it goes back where the provider put it.',
  'blocks-left-out':
    'The recorded client left out blocks that the provider gave, such as searches; they go back as they came.',
  'made-ids':
    'The provider numbered no calls, or the recorded client numbers them in its own way; each result answers the same call, by the provider’s id where there is one.',
  'result-order':
    'The recorded client gave the results in the order in which they came; ours are in the order of the calls.',
  'earlier-history':
    'What the history holds from before the recording, or from turns that it does not hold, was made by nobody who was recorded: blocks, signatures and ids of the provider in it have no form in which an application gives them.',
  'callers-block':
    'The recorded client said something that only this API has (an upload, a change of the tools); the loop has no neutral form for it.',
  'unsigned-calls':
    'Gemini takes a documented text in place of the signature of calls that no model made; both sides write it in their own way.',
  'late-system':
    'The format has no place for a system prompt amid a conversation at this adapter: it goes as user text in <system> tags, with a warning.',
  'coerced-choice':
    'The adapter does not claim this tool choice for the provider, and sends `auto` in its place, with a warning.',
  'clean-names':
    'The recorded client names a tool in a way that not every provider takes; the adapter sends a cleaned name, and maps it back.',
  'declared-twice': 'The recorded client declares one tool twice; the loop has each name once.',
  'file-not-shown':
    'The adapter does not claim files in results for the provider: a text says that there is one, with a warning.',
  'documents-as-text':
    'A list of documents from a tool is JSON in a text, where the recorded client made blocks of the provider of it; the members are equal.',
  'strict-schema':
    'Strict mode wants objects that are closed and whose members are all required; the schema of a strict tool is written so.',
  'plain-text': 'The recorder brought quotes, dashes and ligatures of its JSON bodies into a plain form.',
  'schema-words':
    'The same schema in other words: the order of `required`, types in capitals, members that mean the default.',
} as const

export type Allowance = keyof typeof allowances
