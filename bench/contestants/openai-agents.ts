import { Agent, OpenAIChatCompletionsModel, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { baseURL, description, prompt, weather, type Contestant } from './contestant.ts'

const weatherTool = tool({
  name: 'weather',
  description,
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => weather(city),
})

export const openaiAgents: Contestant = {
  prepare({ fetch, stream, maxSteps }) {
    const client = new OpenAI({ apiKey: 'bench', baseURL, fetch, maxRetries: 0 })
    const model = new OpenAIChatCompletionsModel(client, 'bench-1')
    const agent = new Agent({ name: 'bench', model, tools: [weatherTool] })
    const runner = new Runner({ tracingDisabled: true })
    const maxTurns = maxSteps + 1
    return async () => {
      if (!stream) {
        await runner.run(agent, prompt, { maxTurns })
        return
      }
      const run = await runner.run(agent, prompt, { stream, maxTurns })
      for await (const event of run) void event
      await run.completed
    }
  },
}
