import { defineSubject } from '@steploop/conformance'
import { createMyLlm } from './src/my-llm.ts'

const subject = defineSubject({
  name: 'my-llm',
  // The format of the example cassettes, which the simulator speaks. Give your own format a name of its own.
  wire: 'ollama-chat',
  model: 'example-model',
  baseURL: 'https://api.example.com',
  adapter: ({ model = 'example-model', ...options }) => createMyLlm(options)(model),
  cassettes: new URL('cassettes/', import.meta.url),
  apiKeyVariable: 'MY_LLM_API_KEY',
  // Legal options that change nothing else, to be found again in every request.
  sampleOptions: { keep_alive: '10m' },
  // What the format of the example cassettes cannot say. What your provider says in every answer needs no line.
  noWordsFor: {
    'rate-limited#waits': 'A refusal for too many requests does not say when to come back.',
    '*#errors': 'Nothing but a text says what an error is.',
  },
  // To begin with: the scenarios of the example cassettes. Without this line the suite runs all that there are.
  scenarios: ['text-only', 'single-call', 'parallel-calls', 'three-turn', 'tool-throws'],
})

/** What `steploop conformance`, `steploop record` and src/conformance.test.ts run. */
export default { subjects: [subject] }
