import { StepLoop, tool } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { z } from 'zod'
import { baseURL, description, prompt, weather, type Contestant } from './contestant.ts'

const weatherTool = tool({
  description,
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => weather(city),
})

export const steploop: Contestant = {
  prepare({ fetch, stream, maxSteps }) {
    const provider = createOpenAICompatible({ baseURL, apiKey: 'bench', fetch })
    const loop = new StepLoop({ model: provider('bench-1'), tools: { weather: weatherTool }, maxSteps })
    return async () => {
      if (!stream) {
        await loop.generate(prompt)
        return
      }
      for await (const event of loop.stream(prompt)) if (event.type === 'run-error') throw event.error
    }
  },
}
