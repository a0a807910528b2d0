import { jsonObject, StepLoop, tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  openaiModel,
  outcomes,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  say,
  time,
} from './testing.ts'

const schema = z.object({ degrees: z.number() })
const output = { schema }
const object = { degrees: 21 }
const synthetic = call('output_structured_data', object)

describe('the synthetic tool of structured answers', () => {
  test(
    'alone gives the object and ends the run; beside other calls these go first; words are read or asked for again',
    { tags: ['T01'] },
    async () => {
      const alone = await play([[synthetic]], { output }).loop.generate('x')
      expect([alone.output, alone.steps.length, alone.finishReason, alone.toolCalls]).toEqual([object, 1, 'stop', []])
      const beside = await play([[synthetic, call('time', { tz: 'CET' })], [synthetic]], { output }).loop.generate('x')
      expect([beside.output, outcomes(beside.toolResults)]).toEqual([object, ['noon in CET']])
      const without = await play([[call('time', { tz: 'CET' })], [synthetic]], { output }).loop.generate('x')
      expect([without.output, without.steps.length]).toEqual([object, 2])
      const words = await play([[say(JSON.stringify(object))]], { output }).loop.generate('x')
      expect([words.output, words.steps.length]).toEqual([object, 1])
    },
  )

  test('is no call of the result, of a step, or of the caller', { tags: ['D14'] }, async () => {
    const { loop } = play([[call('time', { tz: 'CET' }), synthetic], [synthetic]], { output })
    const { toolCalls, toolResults, steps } = await loop.generate('x')
    const names = [toolCalls, toolResults, ...steps.flatMap((step) => [step.toolCalls, step.toolResults])]
    expect(names.map((parts) => parts.map(({ toolName }) => toolName))).toEqual([
      ['time'],
      ['time'],
      ['time'],
      ['time'],
      [],
      [],
    ])
  })

  test(
    'is forced where it is the only one, any tool is where there are others, and nothing is while the model thinks',
    { tags: ['T02'] },
    async () => {
      const choices = async (options: object): Promise<unknown> => {
        const { loop, requests } = play([[synthetic]], { output, ...options })
        await loop.generate('x')
        return requests[0]?.request.toolChoice
      }
      expect(await choices({ tools: {} })).toEqual({ type: 'tool', toolName: 'output_structured_data' })
      expect(await choices({})).toBe('required')
      expect(await choices({ reasoning: 'high' })).toBe('auto')
      const { model, bodies } = anthropicModel([
        anthropicAnswer([anthropicCall('c1', 'output_structured_data', object)], 'tool_use'),
      ])
      await new StepLoop({ model, output, reasoning: 'high', maxOutputTokens: 9000 }).generate('x')
      expect(['auto', undefined]).toContain(bodies[0].tool_choice?.type)
    },
  )
})

test(
  'the object is in the result of the run, typed and checked, and the messages are too',
  { tags: ['T03'] },
  async () => {
    const { model } = openaiModel([
      responsesAnswer('r1', [responsesCall('c1', 'time', { tz: 'CET' })]),
      responsesAnswer('r2', [responsesText('{"degrees":"warm"}')]),
      responsesAnswer('r3', [responsesText('{"degrees":21}')]),
    ])
    const result = await new StepLoop({ model, tools: { time }, output }).generate('x')
    const degrees: number | undefined = result.output?.degrees
    expect(degrees).toBe(21)
    expect(result.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'user', 'assistant'])
  },
)

test('an object in a fenced code block is taken', { tags: ['T04'] }, async () => {
  const model = scriptedAdapter(['```json\n{"degrees": 21}\n```'], { capabilities: { structured: true } })
  const result = await new StepLoop({ model, output: { schema, maxRepairs: 0 } }).generate('x')
  expect([result.output, model.requests.length]).toEqual([object, 1])
})

test('strict parameters of a tool are as strict in every later request', { tags: ['T05'] }, async () => {
  const strict = tool({ ...time, strict: true, inputSchema: z.object({ tz: z.string() }) })
  const again = (id: string) => responsesAnswer(id, [responsesCall(id, 'strict', { tz: 'CET' })])
  const { model, bodies } = openaiModel([again('r1'), again('r2'), responsesAnswer('r3', [responsesText('Noon.')])])
  await new StepLoop({ model, tools: { strict } }).generate('x')
  expect(bodies).toHaveLength(3)
  expect(bodies[0].tools[0]).toMatchObject({
    strict: true,
    parameters: { additionalProperties: false, required: ['tz'] },
  })
  expect(bodies[1].tools).toEqual(bodies[0].tools)
  expect(bodies[2].tools).toEqual(bodies[0].tools)
})

test('JSON mode takes any object, natively and by the hidden tool', async () => {
  const body = JSON.stringify({ any: [1] })
  const openai = openaiModel([responsesAnswer('r1', [responsesText(body)])])
  const anthropic = anthropicModel([anthropicAnswer([anthropicCall('c1', 'output_structured_data', { any: [1] })])])
  for (const { model } of [openai, anthropic]) {
    const result = await new StepLoop({ model, output: jsonObject }).generate('x')
    expect(result.output).toEqual({ any: [1] })
  }
  expect(openai.bodies[0].text.format).toMatchObject({ type: 'json_schema', schema: { type: 'object' } })
  const { loop } = play(['[1]', [synthetic]], { output: jsonObject })
  expect((await loop.generate('x')).output).toEqual(object)
})
