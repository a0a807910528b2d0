import { defineSubject } from '@steploop/conformance'
import { createMyLlm } from './src/my-llm.ts'

const subject = defineSubject({
  name: 'my-llm',
  // Picks the simulator, and tells the checks how to read requests.
  wire: 'openai-chat',
  model: 'example-model',
  baseURL: 'https://api.example.com/v1',
  adapter: ({ model = 'example-model', ...options }) => createMyLlm(options)(model),
  cassettes: new URL('cassettes/', import.meta.url),
  apiKeyVariable: 'MY_LLM_API_KEY',
  // To begin with: the scenarios of the example cassettes. Without this line the suite runs all that there are.
  scenarios: ['text-only', 'single-call', 'parallel-calls', 'three-turn', 'tool-throws'],
})

/** What `steploop conformance`, `steploop record` and src/conformance.test.ts run. */
export default { subjects: [subject] }
