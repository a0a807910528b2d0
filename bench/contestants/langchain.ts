import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { baseURL, description, prompt, weather, type Contestant } from './contestant.ts'

const weatherTool = tool(({ city }: { city: string }) => weather(city), {
  name: 'weather',
  description,
  schema: z.object({ city: z.string() }),
})

export const langchain: Contestant = {
  prepare({ fetch, stream, maxSteps }) {
    const configuration = { baseURL, fetch }
    const model = new ChatOpenAI({ model: 'bench-1', apiKey: 'bench', maxRetries: 0, configuration })
    const agent = createAgent({ model, tools: [weatherTool] })
    const messages = [{ role: 'user', content: prompt }]
    // A turn is a step of its graph, and so are its calls.
    const recursionLimit = 3 * maxSteps + 5
    return async () => {
      if (!stream) {
        await agent.invoke({ messages }, { recursionLimit })
        return
      }
      const chunks = await agent.stream({ messages }, { recursionLimit, streamMode: 'messages' })
      for await (const chunk of chunks) void chunk
    }
  },
}
