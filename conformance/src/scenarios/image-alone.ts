import type { Scenario } from '../scenario.ts'
import { fileInBodies } from '../scenario-parts/file-checks.ts'
import { image } from '../play/sample-files.ts'
import { answer, call, say } from '../script-parts.ts'

export const imageAlone: Scenario = {
  id: 'image-alone',
  title: 'A tool returns an image and not one word.',
  appliesTo: {
    requires: ['tools', 'toolResultImages'],
    stressors: { 'hand-over': 'Hand-over compares the texts of results, and this one has none.' },
  },
  script: [answer(call('take_photo', { city: 'Zürich' })), answer(say('Zürich in Rot ☀️, nicht 東京.'))],
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
    const wordless = { ...take_photo, toModelOutput: () => ({ type: 'content' as const, value: [image] }) }
    await run('Nur das Bild von Zürich 📷.', { tools: { take_photo: wordless } })
  },
  checks: [fileInBodies(image, 2)],
}
