import { repairHistory, type Message, type ToolChoice, type ToolResultPart } from '@steploop/core'
import { changeAssistants, changeParts, changeResults, changeTools, isContinuation, withMessages } from './messages.ts'
import { brokenAdapter, brokenBody, brokenRequest, withTurn, type Breaks } from './mutant.ts'

/** What of a conversation, and of a run's options, reaches the provider. */
export const requestMutants: Breaks = {
  'choice-lost-beside-a-format': brokenRequest({
    bug: 'Which tools may be called is not said where an object is asked for.',
    killer: 'text-only#requests',
    change: (request) => (request.responseFormat ? { ...request, toolChoice: undefined } : request),
  }),
  'provider-options-first-turn-only': brokenRequest({
    bug: 'Provider options are left out of every turn after the first.',
    killer: 'provider-options#in-every-body',
    change: (request) => (isContinuation(request) ? { ...request, providerOptions: undefined } : request),
  }),
  'foreign-options-sent': brokenRequest({
    bug: 'Options that were given for another provider are sent, too.',
    killer: 'provider-options#no-foreign-options',
    change: (request, { provider }) => {
      const all = Object.assign({}, ...Object.values(request.providerOptions ?? {})) as Record<string, unknown>
      return { ...request, providerOptions: request.providerOptions && { [provider]: all } }
    },
  }),
  'own-tools-replace': brokenRequest({
    bug: 'Tools among the options of the provider take the place of those of the turn.',
    killer: 'text-only#requests',
    change: (request, { provider }) =>
      Array.isArray(request.providerOptions?.[provider]?.['tools']) ? { ...request, tools: undefined } : request,
  }),
  'tools-missing-on-continuation': brokenRequest({
    bug: 'Tools are sent with the first turn only.',
    killer: 'single-call#same-builder',
    change: (request) => (isContinuation(request) ? { ...request, tools: undefined, toolChoice: undefined } : request),
  }),
  'instructions-first-turn-only': brokenRequest({
    bug: 'Instructions are left out after the first turn.',
    killer: 'instructions-and-settings#instructions-and-headers',
    change: (request) => (isContinuation(request) ? { ...request, instructions: undefined } : request),
  }),
  'headers-first-turn-only': brokenRequest({
    bug: 'Headers of the caller go with the first turn only.',
    killer: 'five-turn#settings-in-every-turn',
    change: (request) => (isContinuation(request) ? { ...request, headers: undefined } : request),
  }),
  'settings-dropped-in-silence': brokenRequest({
    bug: 'Stop sequences are dropped, and nobody is told.',
    killer: 'instructions-and-settings#sent-or-warned',
    change: (request) => ({
      ...request,
      settings: request.settings && { ...request.settings, stopSequences: undefined },
    }),
  }),
  'none-is-unset': brokenRequest({
    bug: 'That no tool may be called is not sent.',
    killer: 'text-only#requests',
    change: (request) => (request.toolChoice === 'none' ? { ...request, toolChoice: undefined } : request),
  }),
  'zero-is-unset': brokenRequest({
    bug: 'A setting of 0 counts as none.',
    killer: 'text-only#requests',
    change: (request) => ({
      ...request,
      settings:
        request.settings && Object.fromEntries(Object.entries(request.settings).filter(([, value]) => value !== 0)),
    }),
  }),
  'texts-trimmed': brokenRequest({
    bug: 'Blanks around what the model said are left out of the history.',
    killer: 'text-only#requests',
    change: (request) =>
      changeParts(request, (part) => (part.type === 'text' ? [{ ...part, text: part.text.trim() }] : [part])),
  }),
  'letters-composed': brokenRequest({
    bug: 'Letters of two signs are sent as one.',
    killer: 'text-only#requests',
    change: (request) => ({ ...request, instructions: request.instructions?.normalize() }),
  }),
  'long-ids-cut': brokenRequest({
    bug: 'Ids of calls are cut to the length that providers take, also where two become one.',
    killer: 'text-only#requests',
    change: (request) => {
      const cut = <Part extends { readonly toolCallId: string }>(part: Part): Part => ({
        ...part,
        toolCallId: part.toolCallId.slice(0, 40),
      })
      return changeResults(
        changeParts(request, (part) => [part.type === 'tool-call' ? cut(part) : part]),
        cut,
      )
    },
  }),
  'kept-all-the-same': brokenRequest({
    bug: 'What an application asks to keep is kept also in a run that has nothing kept.',
    killer: 'text-only#requests',
    change: (request) => ({ ...request, stateless: undefined }),
  }),
  'foreign-refusals-lost': brokenRequest({
    bug: 'What another model refused is left out of the history, and nobody is told.',
    killer: 'text-only#requests',
    change: (request) => changeParts(request, (part) => (part.type === 'refusal' ? [] : [part])),
  }),
  'tools-of-others-sent': brokenRequest({
    bug: 'A tool of another provider is sent to this one.',
    killer: 'text-only#requests',
    change: (request, { provider }) => ({
      ...request,
      tools: request.tools?.map((tool) => (tool.type === 'provider' ? { ...tool, provider } : tool)),
    }),
  }),
  'schema-dropped': brokenRequest({
    bug: 'The schema of the answer does not reach the model.',
    killer: 'structured#schema-reaches-the-model',
    change: (request) => ({ ...request, responseFormat: undefined }),
  }),
  'choice-ignored': brokenRequest({
    bug: 'The tool choice is not sent.',
    killer: 'tool-choice-named#choice-arrives',
    change: (request) => ({ ...request, toolChoice: undefined }),
  }),
  'forced-choice-forever': brokenAdapter({
    bug: 'A choice that was forced once is forced in every turn.',
    killer: 'tool-choice-required#forced-once',
    wrap(adapter) {
      let forced: ToolChoice | undefined
      return withTurn(adapter, (request, context) => {
        forced ??= request.toolChoice
        return adapter.turn({ ...request, toolChoice: forced }, context)
      })
    },
  }),
  'result-by-name': brokenRequest({
    bug: 'Results are paired by tool name, so calls of one tool all get the first result.',
    killer: 'parallel-same-tool#whole-history',
    change: (request) =>
      changeTools(request, ({ content }) => ({
        role: 'tool',
        content: content.map((result): ToolResultPart => {
          const first = content.find(({ toolName }) => toolName === result.toolName)
          return { ...result, output: first?.output ?? result.output }
        }),
      })),
  }),
  'orphan-call': brokenRequest({
    bug: 'The last of several results is forgotten, so its call is left unanswered.',
    killer: 'parallel-calls#paired',
    change: (request) =>
      changeTools(request, ({ content }) => ({
        role: 'tool',
        content: content.length > 1 ? content.slice(0, -1) : content,
      })),
  }),
  'duplicate-result': brokenRequest({
    bug: 'Results of parallel calls are sent twice.',
    killer: 'parallel-calls#paired',
    change: (request) =>
      changeTools(request, ({ content }) => ({
        role: 'tool',
        content: content.length > 1 ? [...content, ...content] : content,
      })),
  }),
  'client-calls-left-out': brokenRequest({
    bug: 'Calls that the caller answers are left out of the history; their outputs are not.',
    killer: 'tool-output-only#call-is-there',
    change: (request) =>
      changeParts(request, (part) => (part.type === 'tool-call' && part.owner === 'client' ? [] : [part])),
  }),
  'text-beside-call-lost': brokenRequest({
    bug: 'Text that came with a call is dropped from the history.',
    killer: 'text-then-call#text-stays-in-history',
    change: (request) =>
      changeAssistants(request, (message) => {
        const calls = message.content.filter(({ type }) => type === 'tool-call')
        const content = message.content.filter(({ type }) => type !== 'text')
        return calls.length === 0 ? message : { ...message, content }
      }),
  }),
  'reorder-parts': brokenRequest({
    bug: 'In the history calls stand before the text that came first.',
    killer: 'text-then-call#text-stays-in-history',
    change: (request) =>
      changeAssistants(request, (message) => {
        const texts = message.content.filter(({ type }) => type === 'text')
        const others = message.content.filter(({ type }) => type !== 'text')
        const calls = others.some(({ type }) => type === 'tool-call')
        return calls ? { ...message, content: [...others, ...texts] } : message
      }),
  }),
  'latest-step-only': brokenRequest({
    bug: 'The history keeps the latest calls and results only.',
    killer: 'five-turn#each-once',
    change: (request) =>
      withMessages(request, (messages) => {
        const at = messages.findLastIndex(({ role }) => role === 'assistant')
        return messages.filter(({ role }, index) => role === 'user' || index >= at)
      }),
  }),
  'double-encoded-arguments': brokenRequest({
    bug: 'Arguments in the history are a text in a text.',
    killer: 'nested-arguments#history-holds-all',
    change: (request) =>
      changeParts(request, (part) => {
        if (part.type !== 'tool-call' || !part.inputText.includes('\\')) return [part]
        const inputText = JSON.stringify(part.inputText)
        return [{ ...part, inputText, input: part.inputText }]
      }),
  }),
  'args-array-for-empty': brokenBody({
    bug: 'An empty object of arguments becomes an empty list in the history, as PHP writes it.',
    killer: 'no-arguments#empty-object-in-history',
    change: emptyLists,
  }),
  'error-results-lost': brokenRequest({
    bug: 'Results that are errors reach the model as an empty text.',
    killer: 'approval-denied#denial-reaches-the-model',
    change: (request) =>
      changeResults(request, (result) =>
        result.output.type === 'error' ? { ...result, output: { type: 'text', value: '' } } : result,
      ),
  }),
  'foreign-turns-dropped': brokenRequest({
    bug: 'Turns of another provider are left out of the history.',
    killer: 'parallel-calls#hand-over',
    change: (request, { provider }) => {
      const isOwn = (message: Message): boolean =>
        message.role !== 'assistant' || message.provider === undefined || message.provider === provider
      return withMessages(request, (messages) =>
        messages.every(isOwn) ? messages : repairHistory(messages.filter(isOwn)).messages,
      )
    },
  }),
}

/** Where the wire formats put arguments: as a text, or as an object. */
function emptyLists(body: string): string {
  return body.replaceAll('"arguments":"{}"', '"arguments":"[]"').replaceAll(/"(input|args|arguments)":\{\}/g, '"$1":[]')
}
