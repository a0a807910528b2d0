import { defineSubject } from '@steploop/conformance'
import { createMyLlm } from './src/my-llm.ts'

const subject = defineSubject({
  name: 'my-llm',
  // What the AI SDK package speaks; picks the simulator, and tells the checks how to read requests.
  wire: 'openai-chat',
  model: 'example-model',
  baseURL: 'https://api.example.com/v1',
  adapter: ({ model = 'example-model', ...options }) => createMyLlm(options)(model),
  cassettes: new URL('cassettes/', import.meta.url),
  apiKeyVariable: 'MY_LLM_API_KEY',
  // What @ai-sdk/openai-compatible does otherwise, and nothing here can mend. Take these lines out to see what yours does.
  noWordsFor: {
    '*#requests': 'The package sends tool names and kinds of files that the API refuses.',
    '*#errors': 'The package finds few of the errors inside a 200, and tells a part of what others say.',
    '*#tolerate': 'The package waits until the connection closes, also after the end of an answer.',
  },
  // To begin with: the scenarios of the example cassettes. Without this line the suite runs all that there are.
  scenarios: ['text-only', 'single-call', 'parallel-calls', 'three-turn', 'tool-throws'],
})

/** What `steploop conformance`, `steploop record` and src/conformance.test.ts run. */
export default { subjects: [subject] }
