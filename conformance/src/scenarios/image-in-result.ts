import type { Scenario } from '../scenario.ts'
import { fileInBodies } from '../scenario-parts/file-checks.ts'
import { image } from '../play/sample-files.ts'
import { answer, call, say } from '../script-parts.ts'

export const imageInResult: Scenario = {
  id: 'image-in-result',
  title: 'An image that a tool returns reaches the model with its result.',
  appliesTo: { requires: ['tools', 'toolResultImages'] },
  script: [
    answer(call('take_photo', { city: 'Zürich' })),
    answer(say('Auf dem Bild ist Zürich in Rot ☀️, nicht 東京.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call take_photo {"city":"Zürich"} by loop
        result take_photo content
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { take_photo } = tools()
    await run('Zeig mir Zürich 📷.', { tools: { take_photo } })
  },
  checks: [fileInBodies(image, 2)],
}
