import { chat, EventType, maxIterations, toolDefinition } from '@tanstack/ai'
import { OpenAIChatCompletionsTextAdapter } from '@tanstack/ai-openai'
import { z } from 'zod'
import { baseURL, description, prompt, weather, type Contestant } from './contestant.ts'

const weatherTool = toolDefinition({
  name: 'weather',
  description,
  inputSchema: z.object({ city: z.string() }),
}).server(({ city }) => weather(city))

export const tanstackAi: Contestant = {
  alwaysStreams: true,
  prepare({ fetch, maxSteps }) {
    const config = { apiKey: 'bench', baseURL, fetch, maxRetries: 0 }
    // Any model would do, and the type knows OpenAI's.
    const adapter = new OpenAIChatCompletionsTextAdapter(config, 'gpt-5.2')
    const options = { adapter, tools: [weatherTool], messages: [{ role: 'user' as const, content: prompt }] }
    return async () => {
      const chunks = chat({ ...options, agentLoopStrategy: maxIterations(maxSteps + 1) })
      for await (const chunk of chunks) if (chunk.type === EventType.RUN_ERROR) throw new Error(chunk.message)
    }
  },
}
