import type { Scenario } from '../scenario.ts'
import { fileInBodies } from '../scenario-parts/file-checks.ts'
import { document } from '../play/sample-files.ts'
import { answer, call, say } from '../script-parts.ts'

export const fileInput: Scenario = {
  id: 'file-input',
  title: 'A document in a message reaches the model, in every turn.',
  appliesTo: { requires: ['tools', 'fileInput'], stressors: { 'hand-over': 'Not every provider takes documents.' } },
  script: [
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Der IC 8 fährt um 12:34 in Zürich, in 東京 ist es dann Abend 🌆.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_time } = tools()
    const text = 'Wann fährt der Zug in Zürich, und wie spät ist es in 東京?'
    await run({ messages: [{ role: 'user', content: [{ type: 'text', text }, document] }] }, { tools: { get_time } })
  },
  checks: [fileInBodies(document)],
}
