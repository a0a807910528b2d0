import type { Scenario } from '../scenario.ts'
import { refusedUnsent } from '../scenario-parts/file-checks.ts'
import { document } from '../play/sample-files.ts'

export const fileRefused: Scenario = {
  id: 'file-refused',
  title: 'What cannot be read: a document in a message is refused before anything is sent.',
  appliesTo: { without: ['fileInput'] },
  script: [],
  golden: `
    run 1
      failed turn-failed from unsupported
  `,
  async run({ run }) {
    await run({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Zürich oder 東京? 🗼' }, document] }] })
  },
  checks: [refusedUnsent(document)],
}
