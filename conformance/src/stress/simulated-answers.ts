import { canonicalJson, objectOf, type FinishReason } from '@steploop/core/adapter'
import { settleWithin } from '../deadline.ts'
import { described } from '../described.ts'
import { holdsIn } from '../judge/applicability.ts'
import { parsed } from '../json.ts'
import { isSimulated } from '../play/own-format.ts'
import { canary } from '../play/play-scenario.ts'
import type { ScriptedAnswer, ScriptedPart } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'
import { partsFault } from './parts-apart.ts'
import { oddInput } from './requests/request-form.ts'
import type { StressCase } from './stressor.ts'
import { told } from './told-by-simulator.ts'
import { usageFault } from './usage-left-out.ts'
import type { VariantSearch } from './variant-search.ts'

/** What no scenario can ask of every format: the simulator shows what the format has words for. Once for a subject in each mode. */
export async function simulatedAnswers(stressCase: StressCase, search: VariantSearch): Promise<void> {
  const { subject, mode, sweep, only, deadline } = stressCase
  if (!isSimulated(subject)) return
  const { tools } = subject.adapter({ apiKey: canary }).capabilities
  for (const [variant, faultOf] of Object.entries({ ...(holdsIn(tools, mode) && callFaults), ...otherFaults })) {
    const key = `tolerate ${mode} ${variant}`
    if ((only === undefined && (sweep.seen.has(key) || !sweep.isFirst)) || !search.tries(variant)) continue
    sweep.seen.add(key)
    const message = await settleWithin(deadline, 'the turn', faultOf(stressCase)).catch(described)
    if (message !== undefined) search.found(variant, [{ message }])
  }
}

type FaultOf = (stressCase: StressCase) => Promise<string | undefined>

/** Servers call an answer with calls finished, or what nobody knows yet: the calls are to be run all the same, unless a filter cut them. */
const ends: readonly (readonly [finish: ScriptedAnswer['finish'], due: FinishReason])[] = [
  ['stop', 'tool-calls'],
  ['unheard-of', 'tool-calls'],
  ['content-filter', 'content-filter'],
]

const endFaults = Object.fromEntries<FaultOf>(
  ends.map(([finish, due]) => [
    `${finish}-beside-calls`,
    async (stressCase) => {
      const reasonOf = async (part: ScriptedPart): Promise<FinishReason | undefined> => {
        const { events } = await told(stressCase, { ...answer(part), finish })
        return events.find((event) => event.type === 'turn-end')?.finishReason
      }
      // Not every format has a word for it.
      if (due !== 'tool-calls' && (await reasonOf(say('ok'))) !== due) return undefined
      const reason = await reasonOf(call('lookup', { sought: 'ok' }))
      return reason === due
        ? undefined
        : `an answer with a call, which the provider ends with its word for \`${finish}\`, has the finish reason \`${reason}\`, not \`${due}\``
    },
  ]),
)

/** A text of digits is no number, and a list of one item is a list. */
async function inputFault(stressCase: StressCase): Promise<string | undefined> {
  const { events } = await told(stressCase, answer(call('lookup', oddInput)))
  const got = events.flatMap((event) => (event.type === 'tool-call' ? [event.input] : []))[0]
  return canonicalJson(got ?? null) === canonicalJson(oddInput)
    ? undefined
    : `the arguments of a call are ${JSON.stringify(got)}, and the model gave ${JSON.stringify(oddInput)}`
}

const callFaults: Readonly<Record<string, FaultOf>> = { ...endFaults, 'odd-input': inputFault }

const otherFaults: Readonly<Record<string, FaultOf>> = {
  'response-id': idFault,
  'parts-apart': partsFault,
  'usage-left-out': usageFault,
}

/** By its id a response is found again, in logs and at the provider: what alone is another text in each answer, or is called an id and is. */
async function idFault(stressCase: StressCase): Promise<string | undefined> {
  const [first, second] = await Promise.all(
    [0, 1].map(async (turn) => textsOf((await told(stressCase, answer(say('ok')), { mode: 'generate', turn })).body)),
  )
  const changed = (first ?? []).filter(([name, text]) => second?.some((one) => one[0] === name && one[1] !== text))
  const ids = changed.filter(([name, text]) => /id$/i.test(name) && !isTime(text))
  const named = ids.length > 0 ? ids : changed.filter(([, text]) => !isTime(text))
  if (named.length !== 1 && ids.length === 0) return undefined
  const { events } = await told(stressCase, answer(say('ok')))
  const id = events
    .map((event) => ('responseId' in event ? event.responseId : undefined))
    .find((one) => one !== undefined)
  if (named.some(([, text]) => text === id)) return undefined
  return `the response is named by \`${named[0]?.[0]}\`, '${named[0]?.[1]}', and the turn tells the \`responseId\` ${id}`
}

/** Texts of the outermost object that are one word; attributes, where a text in it is markup. */
function textsOf(body: Uint8Array): readonly (readonly [name: string, text: string])[] {
  return Object.entries(objectOf(parsed(Buffer.from(body).toString()))).flatMap(([name, text]) => {
    if (typeof text !== 'string') return []
    if (/^\S+$/.test(text)) return [[name, text] as const]
    return Array.from(text.matchAll(/([\w-]+)="(\S+?)"/g), ([, key = '', value = '']) => [key, value] as const)
  })
}

function isTime(text: string): boolean {
  return /^\d+$|^\d{4}-\d\d-\d\d/.test(text)
}
