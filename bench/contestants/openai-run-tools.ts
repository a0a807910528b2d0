import OpenAI from 'openai'
import { baseURL, description, parameters, prompt, weather, type Contestant } from './contestant.ts'

export const openaiRunTools: Contestant = {
  prepare({ fetch, stream, maxSteps }) {
    const client = new OpenAI({ apiKey: 'bench', baseURL, fetch, maxRetries: 0 })
    const definition = {
      name: 'weather',
      description,
      parameters: { ...parameters, required: [...parameters.required] },
      parse: (text: string) => JSON.parse(text) as { city: string },
      function: ({ city }: { city: string }) => weather(city),
    }
    const options = {
      model: 'bench-1',
      messages: [{ role: 'user' as const, content: prompt }],
      tools: [{ type: 'function' as const, function: definition }],
    }
    const limits = { maxChatCompletions: maxSteps + 1 }
    return async () => {
      if (!stream) await client.chat.completions.runTools(options, limits).finalContent()
      else await client.chat.completions.runTools({ ...options, stream: true }, limits).finalContent()
    }
  },
}
