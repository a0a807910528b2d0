import { canonicalJson, isObject, objectOf } from '@steploop/core/adapter'
import { unless, type Check } from '../check.ts'
import { allRequests } from '../evidence.ts'
import { asks } from '../scenario-parts/asks.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import type { ScriptedUsage } from '../script.ts'

const usages: readonly [ScriptedUsage, ScriptedUsage] = [
  { inputTokens: 2100, outputTokens: 40, cacheWriteTokens: 1907 },
  { inputTokens: 2200, outputTokens: 50, cachedInputTokens: 1900 },
]

const switchInEveryBody: Check = {
  id: 'switch-in-every-body',
  sentence: 'What turns the cache on is in the body of every turn, and no warning says that it was left out.',
  judge: (evidence) => [
    ...allRequests(evidence).flatMap(({ body }, index) => {
      const switches = Object.entries(evidence.providerOptions[evidence.subject.provider] ?? {})
      const message = `the body holds neither ${JSON.stringify(Object.fromEntries(switches))} nor a member that is named after a cache`
      return unless(holdsAll(body, switches) || speaksOfCache(body), message, `request ${index + 1}`)
    }),
    ...(evidence.runs[0]?.result?.warnings ?? [])
      .filter(({ path }) => path.includes('providerOptions'))
      .map(({ message }) => ({ message: `a warning says: ${message}`, where: 'run 1' })),
  ],
}

/** Whether the options stand in the body as the subject names them, where a provider calls its cache otherwise. */
function holdsAll(body: unknown, options: readonly (readonly [string, unknown])[]): boolean {
  return (
    options.length > 0 && options.every(([name, value]) => canonicalJson(objectOf(body)[name]) === canonicalJson(value))
  )
}

/** Whether an object in the body, at any depth, has a member that is named after a cache. */
function speaksOfCache(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => speaksOfCache(item))
  if (!isObject(value)) return false
  return Object.entries(value).some(([name, member]) => /cache/i.test(name) || speaksOfCache(member))
}

const countedOnce: Check = {
  id: 'counted-once',
  isOfScript: true,
  sentence: 'Cached tokens are part of the input, and are counted once, turn by turn and in the sum.',
  judge: ({ runs }) => {
    const result = runs[0]?.result
    const sum: ScriptedUsage = { inputTokens: 4300, outputTokens: 90, cachedInputTokens: 1900, cacheWriteTokens: 1907 }
    const all = [...(result?.steps.map(({ usage }) => usage) ?? []), result?.usage]
    return [...usages, sum].flatMap((wanted, index) => {
      const got = all[index]
      const names = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens'] as const
      return (
        names
          // Not every provider says what it writes; one that does has to be believed.
          .filter(
            (name) => (got?.[name] ?? (name === 'cacheWriteTokens' ? wanted[name] : 0) ?? 0) !== (wanted[name] ?? 0),
          )
          .map((name) => ({
            message: `\`${name}\` is ${got?.[name]}, the provider counted ${wanted[name] ?? 0}`,
            where: index < usages.length ? `run 1, step ${index + 1}` : 'run 1, sum',
          }))
      )
    })
  },
}

const promptCache: Scenario = {
  id: 'prompt-cache',
  title: 'The switches of the prompt cache go with every turn, and what was cached is counted once.',
  appliesTo: { requires: ['tools', 'cacheControl'] },
  script: [
    { ...answer(call('get_weather', { city: 'Zürich' })), usage: usages[0] },
    { ...answer(say('In Zürich sind es 7 °C ☀️, die lange Vorrede über 東京 kenne ich schon.')), usage: usages[1] },
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich und 東京?', ['get_weather'], ({ provider, cacheOptions }) => ({
    instructions: 'Antworte auf Deutsch 🇨🇭. '.repeat(8).trimEnd(),
    providerOptions: { [provider]: cacheOptions },
  })),
  checks: [switchInEveryBody, countedOnce],
}

export const promptCacheScenarios: readonly Scenario[] = [promptCache]
