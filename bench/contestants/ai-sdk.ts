import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { baseURL, description, prompt, weather, type Contestant } from './contestant.ts'

const tools = {
  weather: tool({ description, inputSchema: z.object({ city: z.string() }), execute: ({ city }) => weather(city) }),
}

export const aiSdk: Contestant = {
  prepare({ fetch, stream, maxSteps }) {
    const provider = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'bench', fetch })
    const options = { model: provider('bench-1'), tools, prompt, stopWhen: stepCountIs(maxSteps + 1) }
    return async () => {
      if (!stream) {
        await generateText(options)
        return
      }
      for await (const part of streamText(options).stream) if (part.type === 'error') throw part.error
    }
  },
}
