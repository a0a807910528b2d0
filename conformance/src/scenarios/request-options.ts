import { isObject } from '@steploop/core/adapter'
import { unless, type Check } from '../check.ts'
import { allRequests } from '../evidence.ts'
import { canonicalJson } from '../json.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall, time, weather } from '../scenario-parts/one-call.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answered, answeredTwice } from '../scenario-parts/goldens.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

const names = ['tools', 'tool_choice', 'parallel_tool_calls']

const noTools: Scenario = {
  id: 'no-tools',
  title: 'An empty set of tools, and tools none of which is active, are no tools.',
  script: [answer(say('Grüezi aus Zürich 👋')), answer(say('Und aus 東京 👋'))],
  golden: answeredTwice,
  async run({ run, tools }) {
    await run('Sag Grüezi aus Zürich.', { tools: {} })
    await run('Und aus 東京?', { tools: { get_weather: tools().get_weather }, activeTools: [], toolChoice: 'auto' })
  },
  checks: [
    {
      id: 'no-keys',
      sentence: 'The body has neither tools nor anything about choosing them.',
      judge: (evidence) =>
        allRequests(evidence).flatMap(({ view }, index) =>
          names
            .filter((name) => view?.head[name] !== undefined)
            .map((name) => ({ message: `the body has \`${name}\``, where: `request ${index + 1}` })),
        ),
    },
  ],
}

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

const providerOptions: Scenario = {
  id: 'provider-options',
  title: 'Options of the provider go with every turn of a run, those of another provider with none.',
  appliesTo: { requires: ['tools'] },
  ...oneCall('In Zürich scheint die Sonne ☀️, in 東京 ist es Mittag.', weather, time),
  run: asks('Wetter in Zürich, Zeit in 東京?', ['get_weather', 'get_time'], ({ provider, sampleOptions }) => ({
    providerOptions: { [provider]: sampleOptions, 'another-provider': { marker: foreign, metadata: { foreign } } },
  })),
  checks: [inEveryBody, noForeignOptions],
}

/** Whether an object in the body, at any depth, has the member. */
function holds(value: unknown, name: string, expected: string): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, name, expected))
  if (!isObject(value)) return false
  if (value[name] !== undefined && canonicalJson(value[name]) === expected) return true
  return Object.values(value).some((member) => holds(member, name, expected))
}

const cachedUsage: Scenario = {
  id: 'cached-usage',
  title: 'The provider had a part of the input in its cache, without being asked to: it is reported, and counted once.',
  appliesTo: { requires: ['streamUsage'] },
  script: [
    {
      ...answer(say('In Zürich wie in 東京: 7 °C ☀️.')),
      usage: { inputTokens: 2100, outputTokens: 40, cachedInputTokens: 1900 },
    },
  ],
  golden: answered,
  run: asks('Wie ist das Wetter in Zürich und 東京?'),
  checks: [
    {
      id: 'cached-counted',
      isOfScript: true,
      sentence: 'Cached tokens are reported, and are a part of the input tokens.',
      judge: ({ runs }) => {
        const { inputTokens, cachedInputTokens } = runs[0]?.result?.usage ?? {}
        const message = `${cachedInputTokens} of ${inputTokens} input tokens were cached; the provider counted 1900 of 2100`
        return unless(inputTokens === 2100 && cachedInputTokens === 1900, message, 'run 1')
      },
    },
  ],
}

const keyVariable: Scenario = {
  id: 'key-variable',
  title: 'No key is given: the adapter finds it in the environment variable of its provider.',
  appliesTo: { requires: ['apiKeyVariable'] },
  script: [answer(say('Guten Tag aus Zürich und 東京 🔑.'))],
  golden: answered,
  run: asks('Grüezi 東京', [], ({ keyless }) => {
    const model = keyless()
    return { prepareStep: () => ({ model }) }
  }),
  checks: [
    counters({ requests: 1, executions: 0 }),
    {
      id: 'key-sent',
      isOfScript: true,
      sentence: 'The key of the variable goes with the request.',
      judge: (evidence) => {
        const [request] = allRequests(evidence)
        const isSent = Object.values(request?.headers ?? {}).some((value) => value.includes(evidence.canary))
        return unless(isSent, 'no header holds the key', 'request 1')
      },
    },
  ],
}

export const requestOptionsScenarios: readonly Scenario[] = [noTools, providerOptions, cachedUsage, keyVariable]
