import { collectTurn, type AssistantPart, type TurnEvent } from '@steploop/core/adapter'
import { holdsIn } from '../judge/applicability.ts'
import { parsed } from '../json.ts'
import type { ScriptedPart } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'
import { leavesOf, ownerOf, sealsOf } from './owner-of.ts'
import type { StressCase } from './stressor.ts'
import { told } from './told-by-simulator.ts'

type Kind = 'text' | 'reasoning' | 'call'
type Said = readonly [kind: Kind, text: string]

const thoughts = ['Zuerst an Zürich denken.', 'Dann an 東京 denken.'] as const
/** No two neighbours are of one kind: formats may join those. */
const spoken: readonly Said[] = [
  ['reasoning', thoughts[0]],
  ['text', 'Zuerst von Zürich.'],
  ['reasoning', thoughts[1]],
  ['call', 'soughtafter'],
  ['text', 'Dann von 東京.'],
]

/** What the provider keeps apart, in one list, is told apart and in its order, and no thought has the seal of another. */
export async function partsFault(stressCase: StressCase): Promise<string | undefined> {
  const { tools } = stressCase.subject.adapter({ apiKey: 'none' }).capabilities
  const calls = holdsIn(tools, 'generate') && holdsIn(tools, 'stream')
  const script = answer(...spoken.filter(([kind]) => calls || kind !== 'call').map((one) => scripted(one)))
  const whole = await told(stressCase, script, { mode: 'generate' })
  const body = parsed(Buffer.from(whole.body).toString())
  const parts = await partsOf(whole.events)
  const due = inOneList(body)
  const kinds = new Set(due.map(([kind]) => kind))
  const got = merged(parts.flatMap((part) => saidIn(part)).filter(([kind]) => kinds.has(kind)))
  if (linesOf(due) !== linesOf(got))
    return `what stands apart in the response, ${linesOf(due)}, is told as ${linesOf(got)}`
  const borrowed = parts.map((part) => borrowedSeal(part, body)).find((seal) => seal !== undefined)
  if (borrowed !== undefined) return borrowed
  if (stressCase.mode === 'generate') return undefined
  const streamed = await partsOf((await told(stressCase, script)).events)
  const [left, right] = [parts, streamed].map((some) => linesOf(some.flatMap((part) => saidIn(part))))
  if (left !== right) return `a stream tells ${right}, and an answer in one piece ${left}`
  const [wholes, pieces] = [parts, streamed].map((some) => leavesOf(some.map((part) => part.providerMetadata?.data)))
  const cut = pieces?.find(([path, text], at) => {
    const [known, one = ''] = wholes?.[at] ?? []
    return known === path && one.length > text.length && text !== '' && one.includes(text)
  })
  return cut && `of what goes back unread (\`${cut[0]}\`) a stream keeps '${cut[1]}', and an answer in one piece more`
}

function scripted([kind, text]: Said): ScriptedPart {
  if (kind === 'call') return call('lookup', { sought: text })
  return kind === 'text' ? say(text) : { type: kind, text }
}

/** What was said, as far as the items of one list hold it in this order, each by itself; nothing where no list does. */
function inOneList(body: unknown): readonly Said[] {
  const found = listsIn(body).map((list) => {
    const items = list.map((item) => JSON.stringify(item))
    const places = spoken.map(([, text]) => items.findIndex((item) => item.includes(text)))
    const known = places.filter((place) => place >= 0)
    const isOrdered = known.every((place, at) => at === 0 || place > (known[at - 1] ?? 0))
    return isOrdered ? spoken.filter((_, at) => (places[at] ?? -1) >= 0) : []
  })
  const most = found.reduce((best, one) => (one.length > best.length ? one : best), [])
  return merged(most)
}

/** Elements of markup are a list, too. */
export function listsIn(value: unknown): readonly (readonly unknown[])[] {
  if (typeof value === 'string' && value.includes('</'))
    return [value.replaceAll(/<!\[CDATA\[|\]\]>/g, '').split(/<\/[\w-]+>/)]
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values<unknown>({ ...value }).flatMap((member) => listsIn(member))
  return Array.isArray(value) ? [value, ...inner] : inner
}

function saidIn(part: AssistantPart): readonly Said[] {
  if (part.type === 'tool-call') return [['call', 'soughtafter']]
  return (part.type === 'text' || part.type === 'reasoning') && part.text !== '' ? [[part.type, part.text]] : []
}

/** Neighbours of one kind are one. */
function merged(said: readonly Said[]): readonly Said[] {
  const out: Said[] = []
  for (const [kind, text] of said) {
    const last = out.at(-1)
    if (last?.[0] === kind) out[out.length - 1] = [kind, last[1] + text]
    else out.push([kind, text])
  }
  return out
}

function linesOf(said: readonly Said[]): string {
  return said.map(([kind, text]) => `${kind} '${text}'`).join(' + ')
}

function borrowedSeal(part: AssistantPart, body: unknown): string | undefined {
  if (part.type !== 'reasoning') return undefined
  const other = thoughts.find((thought) => thought !== part.text) ?? ''
  const seal = sealsOf(part).find(([, text]) => {
    const owner = ownerOf(text, body)
    return owner?.includes(other) === true && !owner.includes(part.text)
  })
  return seal && `'${seal[1]}' came with the thought '${other}', and is told with '${part.text}'`
}

async function partsOf(events: readonly TurnEvent[]): Promise<readonly AssistantPart[]> {
  return (await collectTurn(batchOf(events))).message.content
}

async function* batchOf(events: readonly TurnEvent[]): AsyncGenerator<readonly TurnEvent[]> {
  yield events
}
