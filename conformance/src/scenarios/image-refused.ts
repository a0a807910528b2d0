import type { Scenario } from '../scenario.ts'
import { refusedUnsent } from '../scenario-parts/file-checks.ts'
import { image } from '../play/sample-files.ts'

export const imageRefused: Scenario = {
  id: 'image-refused',
  title: 'Without eyes: an image in a message is refused before anything is sent.',
  appliesTo: { without: ['imageInput'] },
  script: [],
  golden: `
    run 1
      failed turn-failed from unsupported
  `,
  async run({ run }) {
    await run({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Zürich oder 東京? 🗼' }, image] }] })
  },
  checks: [refusedUnsent(image)],
}
