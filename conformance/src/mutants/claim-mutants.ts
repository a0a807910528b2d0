import type { Capabilities, FilePart, ToolOutput, TurnEvent } from '@steploop/core/adapter'
import { choiceShownBy, features, shownBy } from '../shown-claims.ts'
import { changeResults } from './messages.ts'
import {
  brokenAdapter,
  brokenEnd,
  brokenEvent,
  brokenRequest,
  withTurn,
  type Break,
  type Breaks,
  type Bug,
} from './mutant.ts'

type Claimed = keyof Capabilities

/** By capability, the mutant that claims it and does without. */
export const falseClaims: Readonly<Record<Claimed, string>> = {
  tools: 'tools-not-sent',
  parallel: 'lose-second-call',
  toolChoice: 'choice-ignored',
  structured: 'schema-dropped',
  structuredWithTools: 'schema-dropped-beside-tools',
  reasoning: 'thoughts-swallowed',
  reasoningReplay: 'drop-signature',
  continuation: 'continuation-ignored',
  providerTools: 'provider-tools-not-sent',
  pause: 'pause-is-stop',
  imageInput: 'files-named-not-sent',
  fileInput: 'files-named-not-sent',
  toolResultImages: 'result-images-named',
  streamUsage: 'usage-with-cache-unread',
  cacheControl: 'cache-switch-dropped',
}

function withClaims(bug: Bug, change: (capabilities: Capabilities) => Capabilities): Break {
  return brokenAdapter({
    ...bug,
    wrap: (adapter) => ({
      ...withTurn(adapter, (...asked) => adapter.turn(...asked)),
      capabilities: change(adapter.capabilities),
    }),
  })
}

function leftOut(name: Claimed, scenario: string): readonly [id: string, Break] {
  const bug = `The adapter can do \`${name}\`, and does not say so.`
  const change = (capabilities: Capabilities): Capabilities => ({ ...capabilities, [name]: undefined })
  return [`${name}-not-claimed`, withClaims({ bug, killer: `${scenario}#claims` }, change)]
}

function withoutImages(output: ToolOutput): ToolOutput {
  if (output.type !== 'content') return output
  const worded = ({ mediaType }: FilePart) => ({ type: 'text', text: `[${mediaType}]` }) as const
  return { ...output, value: output.value.map((part) => (part.type === 'file' ? worded(part) : part)) }
}

/** What adapters say of themselves: too much, too little, or in words that nobody knows. */
export const claimMutants: Breaks = {
  'misspelt-capability': withClaims(
    { bug: 'A capability is declared under a name that nobody knows.', killer: 'text-only#claims' },
    (capabilities) => Object.assign({ toolCalls: true }, capabilities),
  ),
  ...Object.fromEntries([
    ...features.map((name) => leftOut(name, shownBy[name])),
    leftOut('toolChoice', choiceShownBy.tool),
  ]),
  'tools-not-sent': brokenRequest({
    bug: 'Tools are claimed, and do not reach the model.',
    killer: 'single-call#tools-as-declared',
    change: (request) => ({ ...request, tools: undefined, toolChoice: undefined }),
  }),
  'schema-dropped-beside-tools': brokenRequest({
    bug: 'An object is not asked for while there are tools.',
    killer: 'structured-with-tools#as-recorded',
    change: ({ responseFormat, ...request }) =>
      request.tools === undefined ? { ...request, responseFormat } : request,
  }),
  'thoughts-swallowed': brokenEvent({
    bug: 'Thoughts are claimed, and nobody gets to see one.',
    killer: 'reasoning-text#golden',
    change: (event: TurnEvent) => (event.type.startsWith('reasoning') ? [] : [event]),
  }),
  'continuation-ignored': brokenRequest({
    bug: 'What the provider has already is sent all the same, and its response is not named.',
    killer: 'continuation#only-what-is-new',
    change: (request) => ({ ...request, continuation: undefined }),
  }),
  'provider-tools-not-sent': brokenRequest({
    bug: 'Tools of the provider are claimed, and do not reach it.',
    killer: 'provider-tool#tools-as-declared',
    change: (request) => ({ ...request, tools: request.tools?.filter(({ type }) => type === 'function') }),
  }),
  'result-images-named': brokenRequest({
    bug: 'An image in a result becomes a word, where it could be sent.',
    killer: 'image-in-result#file-in-bodies',
    change: (request, { capabilities }) =>
      capabilities.toolResultImages
        ? changeResults(request, (result) => ({ ...result, output: withoutImages(result.output) }))
        : request,
  }),
  'usage-with-cache-unread': brokenEnd({
    bug: 'Usage that speaks of a cache is not read.',
    killer: 'cached-usage#cached-counted',
    change: ({ usage }) => (usage?.cachedInputTokens ? { usage: undefined } : undefined),
  }),
  'cache-switch-dropped': brokenRequest({
    bug: 'What turns a prompt cache on is left out.',
    killer: 'prompt-cache#switch-in-every-body',
    change: (request) => ({ ...request, providerOptions: undefined }),
  }),
}
