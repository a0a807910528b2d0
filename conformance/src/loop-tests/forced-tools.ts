import { expect, test } from 'vitest'
import { z } from 'zod'
import { providerTool, tool, type Message, type StepLoopOptions } from '@steploop/core'
import { forceFirstTool, type ForceFirstToolOptions } from '@steploop/core/policies'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call } from './parts.ts'

export function testForcedTools(makeLoop: MakeWholeLoop): void {
  const search = tool({ inputSchema: z.object({}), execute: () => 'found' })
  const forced = { type: 'tool', toolName: 'search' }
  const asked: readonly Message[] = [{ role: 'user', content: 'What is new?' }]

  interface Play {
    readonly script?: readonly ScriptedTurn[]
    readonly messages?: readonly Message[]
    readonly when?: ForceFirstToolOptions['when']
    readonly options?: Partial<StepLoopOptions>
  }

  /** What the model has to call, request by request. */
  async function choices({ script = ['done'], messages = asked, when, options }: Play): Promise<readonly unknown[]> {
    const model = scriptedAdapter(script)
    const policies = [forceFirstTool({ tool: 'search', when })]
    await makeLoop({ model, tools: { search }, policies, ...options }).generate({ messages })
    return model.requests.map(({ request }) => request.toolChoice)
  }

  test('forceFirstTool forces the tool on the first step only, when the prompt asks for it', async () => {
    const script = [[call('search')], 'done']
    for (const when of [(prompt: string) => /new|latest/.test(prompt), undefined])
      expect(await choices({ script, when })).toEqual([forced, undefined])
    expect(await choices({ when: (prompt) => prompt.includes('latest') })).toEqual([undefined])
  })

  test('forceFirstTool asks about the prompt with the conversation, the system prompt first', async () => {
    const seen: unknown[] = []
    const when = (...given: readonly unknown[]) => seen.push(given) === 0
    await choices({ when, options: { instructions: 'Be brief.' } })
    await choices({ when })
    const system = { role: 'system', content: 'Be brief.' }
    expect(seen).toMatchObject([
      ['What is new?', [system, ...asked]],
      ['What is new?', asked],
    ])
  })

  test('forceFirstTool does not force the tool again when a suspended run goes on', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const model = scriptedAdapter([[call('ask')], 'done', 'again'])
    const loop = makeLoop({ model, tools: { ask }, policies: [forceFirstTool({ tool: 'ask' })] })
    const { transcript } = await loop.generate('x')
    const answered = await loop.generate({ transcript, toolOutputs: { call_0_0: { output: 'yes' } } })
    await loop.generate({ transcript: answered.transcript, prompt: 'y' })
    const first = { type: 'tool', toolName: 'ask' }
    expect(model.requests.map(({ request }) => request.toolChoice)).toEqual([first, undefined, first])
  })

  test('forceFirstTool does not force the tool where others than the user spoke last, nor for words of a hook', async () => {
    expect(await choices({ messages: [...asked, { role: 'user', content: 'Go on', synthetic: true }] })).toEqual([
      undefined,
    ])
    const onStepEnd: StepLoopOptions['onStepEnd'] = ({ step }) =>
      step === 1 ? { type: 'continue', messages: asked } : undefined
    expect(await choices({ script: ['no', 'done'], options: { onStepEnd } })).toEqual([forced, undefined])
  })

  test('forceFirstTool leaves the last word to the application', async () => {
    const prepareStep: StepLoopOptions['prepareStep'] = () => Promise.resolve({ toolChoice: 'none' })
    expect(await choices({ options: { prepareStep } })).toEqual(['none'])
  })

  test('forceFirstTool forces nothing where the run has no tools, or has the tool by another key', async () => {
    const web = providerTool({ provider: 'scripted', name: 'search', definition: {} })
    for (const tools of [{ web }, {}, undefined]) expect(await choices({ options: { tools } })).toEqual([undefined])
  })

  test.each<[string, string, boolean]>([
    ['xai', 'any', false],
    ['openrouter', 'x-ai/grok-4', false],
    ['bedrock', 'xai.grok-4', false],
    ['gateway', 'grok-4-fast', false],
    ['azure', 'Grok', false],
    ['groq', 'llama-3', true],
    ['openrouter', 'qwen/grokking-1', true],
  ])(
    'forceFirstTool never forces a model of xAI, whatever gateway is before it: %s %s',
    async (provider, model, is) => {
      const named = scriptedAdapter(['done'], { provider, model })
      await makeLoop({ model: named, tools: { search }, policies: [forceFirstTool({ tool: 'search' })] }).generate('x')
      expect(named.requests[0]?.request.toolChoice).toEqual(is ? forced : undefined)
    },
  )
}
