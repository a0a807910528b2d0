import { isObject } from '@steploop/core/adapter'
import type { Check } from '../check.ts'
import { allRequests } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import { canonicalJson } from '../json.ts'
import { answer, call, say } from '../script-parts.ts'

const foreign = 'never-for-you-異国'

const inEveryBody: Check = {
  id: 'in-every-body',
  sentence: 'The options of the provider are in the body of every turn.',
  judge: (evidence) => {
    const own = evidence.providerOptions[evidence.subject.provider] ?? {}
    return allRequests(evidence).flatMap(({ body }, index) =>
      Object.entries(own)
        .filter(([name, value]) => !holds(body, name, canonicalJson(value)))
        .map(([name, value]) => ({
          message: `the body has no \`${name}\` with ${canonicalJson(value)}: provider options belong into every turn, not only the first`,
          where: `request ${index + 1}`,
        })),
    )
  },
}

const noForeignOptions: Check = {
  id: 'no-foreign-options',
  sentence: 'The options of another provider are in no body.',
  judge: (evidence) =>
    allRequests(evidence)
      .map(({ text }, index) => ({ text, where: `request ${index + 1}` }))
      .filter(({ text }) => text.includes(foreign))
      .map(({ where }) => ({ message: 'the body holds an option that was given for another provider', where })),
}

export const providerOptions: Scenario = {
  id: 'provider-options',
  title: 'Options of the provider go with every turn of a run, those of another provider with none.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('In Zürich scheint die Sonne ☀️, in 東京 ist es Mittag.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools, provider, sampleOptions }) {
    const { get_weather, get_time } = tools()
    await run('Wetter in Zürich, Zeit in 東京?', {
      tools: { get_weather, get_time },
      providerOptions: { [provider]: sampleOptions, 'another-provider': { marker: foreign, metadata: { foreign } } },
    })
  },
  checks: [inEveryBody, noForeignOptions],
}

/** Whether an object in the body, at any depth, has the member. */
function holds(value: unknown, name: string, expected: string): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, name, expected))
  if (!isObject(value)) return false
  if (value[name] !== undefined && canonicalJson(value[name]) === expected) return true
  return Object.values(value).some((member) => holds(member, name, expected))
}
