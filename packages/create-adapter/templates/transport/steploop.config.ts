import { defineSubject } from '@steploop/conformance'
import { createMyLlm } from './src/my-llm.ts'
import { scriptedConnection } from './src/scripted-connection.ts'

const subject = defineSubject({
  name: 'my-llm',
  wire: 'my-llm',
  model: 'example-model',
  noWordsFor: {
    citations: 'my-llm names no sources',
    refusal: 'my-llm has no word for a refusal',
    'cached-usage': 'my-llm does not tell what was cached',
    'file-from-model': 'my-llm answers in words only',
  },
  // There is no HTTP to record: the scenarios' scripts answer, through a connection in memory.
  turnScript: (script) => createMyLlm({ connection: scriptedConnection(script) })(script.model),
})

/** What `steploop conformance` and src/conformance.test.ts run. */
export default { subjects: [subject] }
