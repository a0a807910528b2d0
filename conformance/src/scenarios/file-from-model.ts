import { unless, type Check } from '../check.ts'
import { image } from '../play/sample-files.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'
import { counters } from '../scenario-parts/run-counters.ts'

const fileTold: Check = {
  id: 'file-told-once',
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

export const fileFromModel: Scenario = {
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
      step 1 stop
        text
        file
      completed answer
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run }) {
    const first = await run('Zeichne Zürich.')
    await run({ transcript: stored(transcriptOf(first)), prompt: 'Und 東京?' })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 1, executions: 0 }), fileTold],
}
