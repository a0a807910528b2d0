import type { Scenario } from '../scenario.ts'
import { fileInBodies } from '../scenario-parts/file-checks.ts'
import { image } from '../play/sample-files.ts'
import { oneCall } from '../scenario-parts/one-call.ts'

export const imageInput: Scenario = {
  id: 'image-input',
  title: 'An image in a message reaches the model, in every turn.',
  appliesTo: { requires: ['tools', 'imageInput'], stressors: { 'hand-over': 'Not every provider takes images.' } },
  ...oneCall('Rot und weiss wie die Fahne 🇨🇭, und in Zürich sind es 7 °C.'),
  async run({ run, tools }) {
    const { get_weather } = tools()
    const text = 'Welche Fahne ist das, und wie ist das Wetter in Zürich? 東京 kommt später.'
    await run({ messages: [{ role: 'user', content: [{ type: 'text', text }, image] }] }, { tools: { get_weather } })
  },
  checks: [fileInBodies(image)],
}
