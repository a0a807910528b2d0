import { expect, test } from 'vitest'
import { z } from 'zod'
import { providerTool, tool, type Policy } from '@steploop/core'
import {
  allowTools,
  cacheToolResults,
  denyTools,
  finalizeAfterTools,
  forceFirstTool,
  limitToolCalls,
  limitToolOutput,
  refineInput,
  retryEmpty,
  routeByTool,
  shareToolCalls,
  trace,
} from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testSettingsOfPolicies(makeLoop: MakeWholeLoop): void {
  /** What code without types can give. */
  function untyped(call: (...given: readonly never[]) => unknown) {
    return (...given: readonly unknown[]) =>
      () =>
        call(...(given as readonly never[]))
  }

  const refused: readonly (readonly [string, () => unknown, string])[] = [
    [
      'an unknown option',
      untyped(cacheToolResults)({ maxAgeMs: 5 }),
      "`cacheToolResults` has no option 'maxAgeMs'. It",
    ],
    ['a size that is no number', untyped(cacheToolResults)({ maxEntries: Number.NaN }), '`maxEntries` is NaN'],
    ['a scope that is no text', untyped(cacheToolResults)({ scope: 7 }), '`scope` is 7. Give a text or a function.'],
    ['an empty scope', untyped(cacheToolResults)({ scope: '' }), "`scope` is ''"],
    ['tools that are no list', untyped(cacheToolResults)({ tools: 'search' }), "`tools` is 'search'. Give an array"],
    ['no object', untyped(cacheToolResults)('search'), "got 'search'. Give an object."],
    ['a text in place of a list', untyped(allowTools)('search'), "`allowTools`: the list is 'search'"],
    ['a list of no names', untyped(denyTools)([7]), '`denyTools`: the list is an array. Give an array of names.'],
    ['a missing tool', untyped(forceFirstTool)({ when: () => true }), "`forceFirstTool` needs the option 'tool'"],
    ['a misspelt option', untyped(forceFirstTool)({ tool: 'look', if: 1 }), "no option 'if'. It takes: tool, when."],
    ['a condition that is no function', untyped(forceFirstTool)({ tool: 'look', when: true }), '`when` is true'],
    ['a missing function', untyped(refineInput)({ tool: 'look' }), "`refineInput` needs the option 'fill'"],
    ['a limit below 0', untyped(limitToolCalls)({ look: -1 }), '`look` is -1. Give a number from 0.'],
    ['a limit that is a text', untyped(limitToolCalls)({ look: '3' }), "`look` is '3'"],
    ['a limit that is missing', untyped(limitToolCalls)({ look: undefined }), "needs the option 'look'"],
    ['no limits at all', untyped(limitToolCalls)(undefined), '`limitToolCalls` got undefined'],
    ['a shared number that is none', untyped(shareToolCalls)(Number.NaN), '`shareToolCalls` is NaN'],
    ['no length', untyped(limitToolOutput)({}), "`limitToolOutput` needs the option 'maxCharacters'"],
    ['a length that is no number', untyped(limitToolOutput)({ maxCharacters: Number.NaN }), '`maxCharacters` is NaN'],
    ['retries below 0', untyped(retryEmpty)({ maxRetries: -1 }), '`maxRetries` is -1'],
    ['another misspelt option', untyped(retryEmpty)({ retries: 3 }), "`retryEmpty` has no option 'retries'"],
    ['steps that are no number', untyped(finalizeAfterTools)({ steps: 'all' }), "`steps` is 'all'"],
    ['a route to no model', untyped(routeByTool)({ look: 'acme/gpt' }), "`look` is 'acme/gpt'. Give a model."],
    [
      'half a model',
      untyped(routeByTool)({ look: { turn: () => [] } }),
      '`look` is an object with the keys turn. Give',
    ],
    ['no model at all', untyped(routeByTool)({ look: { capabilities: {} } }), '`look` is an object with the keys cap'],
    ['no routes at all', untyped(routeByTool)(undefined), '`routeByTool` got undefined'],
    ['a route that is missing', untyped(routeByTool)({ look: undefined }), "`routeByTool` needs the option 'look'"],
    ['words that are none', untyped(retryEmpty)({ message: 7 }), '`message` is 7. Give a text.'],
    ['an empty name', untyped(forceFirstTool)({ tool: '' }), "`tool` is ''. Give a name."],
    ['a number as a name', untyped(forceFirstTool)({ tool: 7 }), '`tool` is 7. Give a name.'],
    ['the name of a member of every object', untyped(retryEmpty)({ constructor: 1 }), "no option 'constructor'"],
    ['nothing to write to', untyped(trace)(undefined), '`trace` is undefined. Give a function.'],
  ]

  test.each(refused)('a policy refuses %s, and says what to give', (_, make, message) => {
    expect(make).toThrow(failing('invalid-options', message))
  })

  const inputSchema = z.object({})
  const tools = {
    look: tool({ inputSchema, execute: () => 'seen' }),
    seat: tool({ inputSchema }),
    web: providerTool({ provider: 'scripted', name: 'web_search', definition: {} }),
  }
  const make = (policy: Policy, given: object = { tools }) =>
    makeLoop({ model: scriptedAdapter([]), policies: [policy], ...given })
  const strong = scriptedAdapter([])

  test.each([
    ['forceFirstTool', forceFirstTool({ tool: 'nope' }), "'nope'"],
    ['refineInput', refineInput({ tool: 'nope', fill: () => ({}) }), "'nope'"],
    ['limitToolCalls', limitToolCalls({ look: 1, nope: 2 }), "'nope'"],
    ['limitToolCalls', limitToolCalls({ seat: 1 }), "'seat', which is no tool that this loop runs. There are: look."],
    ['limitToolOutput', limitToolOutput({ maxCharacters: 9, tools: ['nope'] }), "'nope'"],
    ['limitToolOutput', limitToolOutput({ maxCharacters: 9, tools: ['seat'] }), "'seat', which is no tool that this"],
    ['cacheToolResults', cacheToolResults({ tools: ['nope'] }), "'nope'"],
    ['allowTools', allowTools(['look', 'nope']), "'nope', which is no tool of this loop. There are: look, seat, web"],
    ['denyTools', denyTools(['nope']), "'nope'"],
    ['routeByTool', routeByTool({ nope: strong }), "'nope'"],
    ['retryEmpty', retryEmpty({ ignoredTool: 'nope' }), "'nope'"],
  ])('%s is refused before anything runs when it names no tool', (name, policy, message) => {
    const expected = expect.stringContaining(`\`${name}\` names ${message}`)
    expect(() => make(policy)).toThrow(expect.objectContaining({ code: 'invalid-options', message: expected }))
  })

  test('a policy that names what the only tool of the loop is not is refused, and told that there is none', () => {
    const message = "names 'nope', which is no tool of this loop. There are: look."
    expect(() => make(denyTools(['nope']), { tools: { look: tools.look } })).toThrow(message)
    const none = "names 'seat', which is no tool that this loop runs. There are: none."
    expect(() => make(limitToolCalls({ seat: 1 }), { tools: { seat: tools.seat } })).toThrow(none)
  })

  test('a policy may name a tool of the client or of the provider, what only the client knows, and nothing without tools', () => {
    expect(() => make(denyTools(['seat', 'web', 'web_search', 'look']))).not.toThrow()
    expect(() => make(routeByTool({ web_search: strong }))).not.toThrow()
    expect(() => make(denyTools(['nope']), { tools, unknownTools: 'client' })).not.toThrow()
    expect(() => make(limitToolCalls({ look: 1 }), {})).not.toThrow()
  })
}
