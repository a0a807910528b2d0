import type { Check } from '../check.ts'
import type { SentRequest } from '../evidence.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall } from '../scenario-parts/one-call.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { saysAll } from '../scenario-parts/says-all.ts'
import { answered } from '../scenario-parts/goldens.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

const greeting = 'Grüezi aus Zürich! In 東京 ist es schon Abend 🌇, und „morgen“ heisst dort 明日.'

const textOnly: Scenario = {
  id: 'text-only',
  title: 'One question, one answer in plain text.',
  script: [answer(say(greeting))],
  golden: answered,
  run: asks('Sag mir guten Tag aus Zürich und 東京.', [], { instructions: 'Antworte kurz, auf Deutsch 🇨🇭.' }),
  checks: [counters({ requests: 1, executions: 0 }), saysAll(greeting)],
}

/** All that there are but `reasoning`, which has scenarios of its own; each with a value that nothing else has. */
const settings = {
  temperature: 0.25,
  topP: 0.75,
  topK: 37,
  maxOutputTokens: 321,
  presencePenalty: 0.125,
  frequencyPenalty: 0.375,
  stopSequences: ['HALT🛑'],
  seed: 4711,
  parallelToolCalls: false,
}
const instructions = 'Antworte auf Deutsch 🇨🇭, kurz.'

const inBody = ({ text, view }: SentRequest, value: unknown): boolean => {
  // Some ask for it by its opposite, and some in other words, which the reader of their requests knows.
  if (typeof value === 'boolean') return view?.oneCallPerTurn ?? /"\w*parallel\w*":\s*(?:true|false)/.test(text)
  const wanted =
    typeof value === 'number' ? new RegExp(`[:[]\\s*${String(value).replace('.', '\\.')}[,}\\]]`) : undefined
  const written = Array.isArray(value) ? value.map((item) => JSON.stringify(item)).join() : ''
  return wanted?.test(text) ?? text.includes(written)
}

const hints: Readonly<Record<string, string>> = {
  parallelToolCalls: '; if it is in other words, `readRequest` says so as `oneCallPerTurn`',
}

const sentOrWarned: Check = {
  id: 'sent-or-warned',
  sentence: 'Each setting is in the body of every request, under no name of another, or a warning says that it is not.',
  judge: ({ runs }) => {
    const swapped = (runs[0]?.requests ?? []).flatMap(({ body, view }, index) =>
      [...new Set(swappedIn([body, view?.head]))].map((message) => ({ message, where: `request ${index + 1}` })),
    )
    const warned = (runs[0]?.result?.warnings ?? []).map(({ path, message }) => `${path} ${message}`).join('\n')
    const lost = (runs[0]?.requests ?? []).flatMap((request, index) =>
      Object.entries(settings)
        .filter(([name, value]) => !inBody(request, value) && !warned.includes(name))
        .map(([name, value]) => ({
          message: `\`${name}\` (${JSON.stringify(value)}) is neither in the body nor in a warning${hints[name] ?? ''}`,
          where: `request ${index + 1}`,
        })),
    )
    return [...lost, ...swapped]
  },
}

/** A member with the name of a setting does not have the value of another. */
function swappedIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, inner]: readonly [string, unknown]) => {
    const bare = member.replaceAll('_', '').toLowerCase()
    const named = Object.keys(settings).find((name) => [bare, `top${bare}`].includes(name.toLowerCase()))
    const of = Object.entries(settings).find(([, own]) => typeof own === 'number' && own === inner)?.[0]
    return named === undefined || of === undefined || named === of
      ? swappedIn(inner)
      : [`\`${member}\` has the value of \`${of}\`, ${String(inner)}`]
  })
}

const instructionsAndHeaders: Check = {
  id: 'instructions-and-headers',
  sentence: 'Instructions and headers of the caller go with every request.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view, headers }, index) => [
      ...(view === undefined || view.instructions === instructions
        ? []
        : [{ message: `the instructions are ${JSON.stringify(view.instructions)}`, where: `request ${index + 1}` }]),
      ...(headers['x-ticket'] === 'ZH-42'
        ? []
        : [{ message: `the header \`x-ticket\` is ${headers['x-ticket']}`, where: `request ${index + 1}` }]),
    ]),
}

const instructionsAndSettings: Scenario = {
  id: 'instructions-and-settings',
  title: 'Instructions, settings and headers reach the wire in every turn; what cannot is reported.',
  appliesTo: { requires: ['tools'] },
  ...oneCall('In Zürich sind es 7 °C ☀️.'),
  run: asks('Wetter in Zürich und 東京?', ['get_weather'], {
    instructions,
    headers: { 'x-ticket': 'ZH-42' },
    ...settings,
    // What is edited for one step is all that changes in it.
    prepareStep: ({ step }) => (step === 1 ? { temperature: settings.temperature } : undefined),
  }),
  checks: [sentOrWarned, instructionsAndHeaders],
}

export const plainTextScenarios: readonly Scenario[] = [textOnly, instructionsAndSettings]
