import { defineSubject } from '@steploop/conformance'
import { createMyLlm } from './src/my-llm.ts'
import { readRequest, simulate } from './src/simulate.ts'

const subject = defineSubject({
  name: 'my-llm',
  // A name that the suite does not know: `simulate` plays it, `readRequest` reads it.
  wire: 'my-llm-items',
  model: 'example-model',
  baseURL: 'https://api.example.com',
  adapter: ({ model = 'example-model', ...options }) => createMyLlm(options)(model),
  cassettes: new URL('cassettes/', import.meta.url),
  apiKeyVariable: 'MY_LLM_API_KEY',
  simulate,
  readRequest,
  // Legal options that change nothing else, to be found again in every request.
  sampleOptions: { trace_id: 'conformance' },
  // CHANGE it to what your format has no words for.
  noWordsFor: {
    citations: 'An answer names no sources.',
    'file-from-model': 'Answers have no place for files.',
    refusal: 'A refusal is text.',
    'unparsable-arguments': 'Arguments are an object: a text that is no JSON cannot be sent.',
  },
  // To begin with. Without this line the suite runs all that there are.
  scenarios: ['text-only', 'single-call', 'parallel-calls', 'three-turn', 'tool-throws', 'rate-limited', 'cut-stream'],
})

/** What `steploop conformance`, `steploop record` and src/conformance.test.ts run. */
export default { subjects: [subject] }
