import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { image } from '../play/sample-files.ts'
import { answer, call, say } from '../script-parts.ts'

export const imageInResultTold: Scenario = {
  id: 'image-in-result-told',
  title: 'Where results are text: a text stands in place of an image that a tool returns, and a warning says so.',
  appliesTo: { requires: ['tools'], without: ['toolResultImages'] },
  mayLose: ['messages', 'tool.content'],
  script: [
    answer(call('take_photo', { city: 'Zürich' })),
    answer(say('Das Bild von Zürich sehe ich nicht, 東京 auch nicht.')),
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
  checks: [
    counters({ requests: 2, executions: 1 }),
    {
      id: 'told-not-sent',
      sentence: 'The image is in no body, a text with its type is in the result, and one warning speaks of it.',
      judge: ({ runs }) => {
        const second = runs[0]?.requests[1]
        const result = second?.view?.items.find((item) => item.type === 'result')
        const told = (runs[0]?.result?.warnings ?? []).filter(({ type }) => type === 'coerced' || type === 'dropped')
        const where = 'run 1, request 2'
        return [
          ...unless(second?.text.includes(image.data) !== true, 'the image is in the body', where),
          ...unless(
            result === undefined || result.text.includes(image.mediaType),
            `the result reads ${JSON.stringify(result?.text)}, without a word of the image`,
            where,
          ),
          ...unless(told.length > 0, 'no warning says that the image was left out', 'run 1'),
        ]
      },
    },
  ],
}
