import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type Policy, type RunOptions, type StepEdit, type StepLoopOptions } from '@steploop/core'
import { shareToolCalls } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import type { WholeLoop, MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testOptionsRefused(makeLoop: MakeWholeLoop): void {
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  const make = (options: object): WholeLoop =>
    makeLoop({ model: scriptedAdapter(['done']), tools: { look }, ...options })

  test.each([
    ['a model that is a name', { model: 'gpt-5' }, "`model` is 'gpt-5', which is no model"],
    ['no model', { model: undefined }, '`model` is undefined'],
    ['a fallback that is none', { fallbacks: [{}] }, '`fallbacks[0]` is an object with the keys (none)'],
    ['an unknown word', { onLimit: 'stop' }, "`onLimit` is 'stop'. It takes: finalize, incomplete, throw."],
    ['a hook that is no function', { onStepEnd: true }, '`onStepEnd` is true. Give a function.'],
    ['tools as a list', { tools: [look] }, '`tools` is an array'],
    ['a tool without its type', { tools: { bare: { execute: () => 1 } } }, "The tool 'bare' is no tool"],
    [
      'a choice of a tool that there is not',
      { toolChoice: { type: 'tool', toolName: 'loook' } },
      'one of the tools: look',
    ],
    ['a model without capabilities', { model: { turn: () => [] } }, '`model` is an object with the keys turn'],
    ['fallbacks that are no list', { fallbacks: 'gpt-5' }, "`fallbacks` is 'gpt-5'. Give an array."],
    ['names that are no list', { activeTools: 'look' }, "`activeTools` is 'look'. Give an array."],
    ['headers that are no object', { headers: 'x: y' }, "`headers` is 'x: y'. Give an object."],
    ['half a clock', { clock: { now: () => 0 } }, '`clock` is an object with the keys now'],
    ['a schema without its field', { output: { type: 'object' } }, '`output` is an object with the keys type'],
    ['policies that are no list', { policies: 'trace' }, "`policies` is 'trace'. Give an array."],
    ['a policy that is no function', { policies: [{}] }, '`policies[0]` is an object'],
    ['a policy that gives a number', { policies: [() => 7] }, '`policies[0]` gave 7.'],
    ['a policy that gives nothing', { policies: [() => undefined] }, '`policies[0]` gave undefined'],
    ['tools for a policy that are a word', { tools: 'look', policies: [shareToolCalls(1)] }, "`tools` is 'look'"],
    ['a word for yes or no', { eagerTools: 'yes' }, "`eagerTools` is 'yes'"],
    ['a tool without a name', { tools: { '': look } }, 'A tool has an empty name.'],
    ['a preset that gives nothing', { preset: () => undefined }, '`preset` gave undefined'],
    ['a choice that is no word', { toolChoice: 'any' }, "`toolChoice` is 'any'"],
  ])('an option that cannot work is refused when the loop is made, with what it takes: %s', (_, options, message) => {
    expect(() => make(options)).toThrow(failing('invalid-options', message))
  })

  test('a preset makes options of those that were given', async () => {
    const model = scriptedAdapter(['done'])
    const preset: Policy = (options) => ({ ...options, instructions: `${options.instructions} Be brief.` })
    await makeLoop({ model, instructions: 'Be kind.', preset }).generate('x')
    expect(model.requests[0]?.request.instructions).toBe('Be kind. Be brief.')
  })

  test('an option of a run that is undefined was not given: the loop’s own holds', async () => {
    const model = scriptedAdapter(['done'])
    const loop = makeLoop({ model, tools: { look } })
    await loop.generate('x', { tools: undefined, maxSteps: undefined })
    expect(model.requests[0]?.request.tools).toHaveLength(1)
  })

  test('the controller of an abort instead of its signal is refused, for a stream at once', async () => {
    const abortSignal = new AbortController() as unknown as AbortSignal
    const refused = failing('invalid-options', 'abortSignal')
    expect(() => make({}).stream('x', { abortSignal })).toThrow(refused)
    await expect(make({}).generate('x', { abortSignal })).rejects.toThrow(refused)
  })

  describe('names that no option has', () => {
    const model = scriptedAdapter([])
    test.each<[string, unknown]>([
      ['`maxTurns`', { model, maxTurns: 3 }],
      ['`needApproval`', { model, tools: { look: { ...look, needApproval: true } } }],
      ['`timeOut`', { model, tools: { look: { ...look, timeOut: 3 } } }],
    ])('names that no option has are refused when the loop is made: %s', (name, options) => {
      expect(() => makeLoop(options as StepLoopOptions)).toThrow(failing('invalid-options', name))
    })

    test('names that no option has are refused per run, and in the edit of a step', async () => {
      const loop = makeLoop({ model })
      const misspelt = { maxStep: 3 } as RunOptions
      await expect(loop.generate('x', misspelt)).rejects.toMatchObject({ code: 'invalid-options' })
      const edited = loop.generate('x', { prepareStep: () => ({ message: [] }) as StepEdit })
      await expect(edited).rejects.toThrow(failing('invalid-options', '`message`'))
    })
  })
}
