import { unless, type Check } from '../../check.ts'
import { allRequests } from '../../evidence.ts'
import { asks } from '../../scenario-parts/asks.ts'
import type { Scenario } from '../../scenario.ts'
import { answer, call, say } from '../../script-parts.ts'

const azureEndpoint: Check = {
  id: 'azure-endpoint',
  sentence:
    'Each request goes to Azure’s address with the version of the API, and has the key in `api-key` and nowhere else.',
  judge: (evidence) =>
    allRequests(evidence).flatMap(({ url, headers }, index) => {
      const { hostname, searchParams } = new URL(url)
      const where = `request ${index + 1}`
      return [
        ...unless(hostname.endsWith('.azure.com'), `the host is ${hostname}`, where),
        ...unless(searchParams.has('api-version'), 'the address has no `api-version`', where),
        ...unless(headers['api-key'] === evidence.canary, 'the header `api-key` is not the key', where),
        ...unless(headers['authorization'] === undefined, 'there is a header `authorization`', where),
      ]
    }),
}

const named: Check = {
  id: 'answer-is-named',
  sentence: 'What comes before the answer has empty names: id and model of the answer are those that come with it.',
  judge: ({ runs }) =>
    runs.flatMap(({ turns, number }) =>
      turns.flatMap(({ events }, index) => {
        const end = events.at(-1)
        const holds = end?.type === 'turn-end' && (end.responseId ?? '') !== '' && (end.model ?? '') !== ''
        return unless(
          holds,
          'the turn ends without the id or the model of the answer',
          `run ${number}, turn ${index + 1}`,
        )
      }),
    ),
}

export const azureDialect: Scenario = {
  id: 'azure-dialect',
  title: 'OpenAI’s formats behind Azure’s addresses and headers, with a first chunk that says nothing.',
  appliesTo: { requires: ['tools'], wires: ['openai-chat/azure', 'openai-responses/azure'] },
  script: [
    answer(say('Ich schaue nach 🔎.'), call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️, in 東京 weiss ich es nicht.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        text
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
  `,
  run: asks('Wetter in Zürich und 東京?', ['get_weather'], { maxOutputTokens: 400 }),
  checks: [azureEndpoint, named],
}
