import type { RunInput } from '@steploop/core'
import { unless, type Check } from '../check.ts'
import { document, image } from '../scenario-parts/sample-files.ts'
import { asks, asksTwice } from '../scenario-parts/asks.ts'
import { fileInBodies, fileNamed, refusedUnsent } from '../scenario-parts/file-checks.ts'
import { oneCall, time } from '../scenario-parts/one-call.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import type { Feature } from '../shown-claims.ts'
import { answer, say } from '../script-parts.ts'

const showing = (file: typeof image, text: string): RunInput => ({
  messages: [{ role: 'user', content: [{ type: 'text', text }, file] }],
})

const imageInput: Scenario = {
  id: 'image-input',
  title: 'An image in a message reaches the model, in every turn.',
  appliesTo: { requires: ['tools', 'imageInput'], stressors: { 'hand-over': 'Not every provider takes images.' } },
  ...oneCall('Rot und weiss wie die Fahne 🇨🇭, und in Zürich sind es 7 °C.'),
  run: asks(showing(image, 'Welche Fahne ist das, und wie ist das Wetter in Zürich? 東京 kommt später.'), [
    'get_weather',
  ]),
  checks: [fileInBodies(image)],
}

/** A file in a message that the adapter cannot send. */
function refused(id: string, title: string, without: Feature, file: typeof image): Scenario {
  return {
    id,
    title,
    appliesTo: { without: [without] },
    script: [],
    golden: `
    failed turn-failed from unsupported
  `,
    run: asks(showing(file, 'Zürich oder 東京? 🗼')),
    checks: [refusedUnsent(file)],
  }
}

const fileInput: Scenario = {
  id: 'file-input',
  title: 'A document in a message reaches the model, in every turn.',
  appliesTo: { requires: ['tools', 'fileInput'], stressors: { 'hand-over': 'Not every provider takes documents.' } },
  ...oneCall('Der IC 8 fährt um 12:34 in Zürich, in 東京 ist es dann Abend 🌆.', time),
  run: asks(showing(document, 'Wann fährt der Zug in Zürich, und wie spät ist es in 東京?'), ['get_time']),
  checks: [fileInBodies(document), fileNamed],
}

const photo = { toolName: 'take_photo', input: { city: 'Zürich' }, output: 'content' } as const

const imageInResult: Scenario = {
  id: 'image-in-result',
  title: 'An image that a tool returns reaches the model with its result.',
  appliesTo: { requires: ['tools', 'toolResultImages'] },
  ...oneCall('Auf dem Bild ist Zürich in Rot ☀️, nicht 東京.', photo),
  run: asks('Zeig mir Zürich 📷.', ['take_photo']),
  checks: [fileInBodies(image, 2)],
}

const imageAlone: Scenario = {
  id: 'image-alone',
  title: 'A tool returns an image and not one word.',
  appliesTo: {
    requires: ['tools', 'toolResultImages'],
    stressors: { 'hand-over': 'Hand-over compares the texts of results, and this one has none.' },
  },
  ...oneCall('Zürich in Rot ☀️, nicht 東京.', photo),
  async run({ run, tools }) {
    const { take_photo } = tools()
    const wordless = { ...take_photo, toModelOutput: () => ({ type: 'content' as const, value: [image] }) }
    await run('Nur das Bild von Zürich 📷.', { tools: { take_photo: wordless } })
  },
  checks: [fileInBodies(image, 2)],
}

const imageInResultReported: Scenario = {
  id: 'image-in-result-dropped',
  title: 'Where results are text: a text stands in place of an image that a tool returns, and a warning says so.',
  appliesTo: { requires: ['tools'], without: ['toolResultImages'] },
  mayLose: ['messages', 'tool.content'],
  ...oneCall('Das Bild von Zürich sehe ich nicht, 東京 auch nicht.', photo),
  run: asks('Zeig mir Zürich 📷.', ['take_photo']),
  checks: [
    counters({ requests: 2, executions: 1 }),
    {
      id: 'reported-not-sent',
      sentence: 'The image is in no body, a text with its type is in the result, and one warning speaks of it.',
      judge: ({ runs }) => {
        const second = runs[0]?.requests[1]
        const result = second?.view?.items.find((item) => item.type === 'result')
        const reported = (runs[0]?.result?.warnings ?? []).filter(
          ({ type }) => type === 'coerced' || type === 'dropped',
        )
        const where = 'run 1, request 2'
        return [
          ...unless(second?.text.includes(image.data) !== true, 'the image is in the body', where),
          ...unless(
            result === undefined || result.text.includes(image.mediaType),
            `the result reads ${JSON.stringify(result?.text)}, without a word of the image`,
            where,
          ),
          ...unless(reported.length > 0, 'no warning says that the image was left out', 'run 1'),
        ]
      },
    },
  ],
}

const fileReported: Check = {
  id: 'file-reported-once',
  isOfScript: true,
  sentence: 'The file arrives once as an event and once in the message, byte by byte and with its type.',
  judge: ({ runs }) => {
    const events = (runs[0]?.turns[0]?.events ?? []).flatMap((event) => (event.type === 'file' ? [event] : []))
    const kept = (runs[0]?.result?.steps[0]?.message.content ?? []).flatMap((part) =>
      part.type === 'file' ? [part] : [],
    )
    return [events, kept].flatMap((files, index) => {
      const [file] = files
      const isRight = files.length === 1 && file?.data === image.data && file.mediaType === image.mediaType
      const found = files.map(({ mediaType, data }) => `${mediaType} (${data?.length ?? 0} characters)`).join(', ')
      return unless(isRight, `the files are: ${found || 'none'}`, index === 0 ? 'run 1, events' : 'run 1, message')
    })
  },
}

const fileFromModel: Scenario = {
  id: 'file-from-model',
  title: 'The model answers with an image beside its words, and the conversation goes on after it.',
  appliesTo: { stressors: { 'hand-over': 'Not every provider takes files of an assistant.' } },
  onlySimulated: 'a real model does not make a given image on demand',
  mayLose: ['messages', 'assistant'],
  script: [
    answer(say('So sieht Zürich aus 🖼️:'), { type: 'file', mediaType: image.mediaType, data: image.data }),
    answer(say('東京 ist bunter.')),
  ],
  golden: `
    run 1
      step 1 stop: text + file
      completed answer
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksTwice('Zeichne Zürich.', 'Und 東京?'),
  checks: [counters({ requests: 1, executions: 0 }, { requests: 1, executions: 0 }), fileReported],
}

export const filesScenarios: readonly Scenario[] = [
  imageInput,
  refused(
    'image-refused',
    'Without eyes: an image in a message is refused before anything is sent.',
    'imageInput',
    image,
  ),
  fileInput,
  refused(
    'file-refused',
    'What cannot be read: a document in a message is refused before anything is sent.',
    'fileInput',
    document,
  ),
  imageInResult,
  imageAlone,
  imageInResultReported,
  fileFromModel,
]
