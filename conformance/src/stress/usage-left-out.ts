import { isObject, type TurnEvent, type Usage } from '@steploop/core/adapter'
import { miscounts } from '../judge/script-checks.ts'
import { parsed } from '../json.ts'
import { answer, say } from '../script-parts.ts'
import type { Bytes } from './split-offsets.ts'
import { streamPayloads } from './stream-payloads.ts'
import type { StressCase } from './stressor.ts'
import { told } from './told-by-simulator.ts'

/** No other number of a response is one of these. */
const usage = {
  inputTokens: 4_327,
  outputTokens: 769,
  cachedInputTokens: 1_013,
  cacheWriteTokens: 1_502,
  reasoningTokens: 211,
}
const script = { ...answer(say('ok')), usage }
const zeros = { ...script, usage: { ...usage, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 } }
const counts: ReadonlySet<unknown> = new Set(Object.values(usage))

/** Tokens are counted as the provider says. What it does not say of them nobody knows: it is absent, not 0, and no number that cannot be. */
export async function usageFault(stressCase: StressCase): Promise<string | undefined> {
  const full = await told(stressCase, script)
  const { body, type } = full
  const [miscount] = miscounts(usageIn(full.events), usage, Buffer.from(body).toString())
  if (miscount !== undefined) return miscount
  const holders = holdersOf(payloadsOf(body, type))
  const members = [...new Set(holders.flatMap((holder) => numbersOf(holder)))]
  if (members.length === 0) return faultInText(stressCase, textOf(body))
  // A format that writes a 0 leaves none out.
  const none = await told(stressCase, zeros)
  const saysNone = holdersOf(payloadsOf(none.body, none.type)).some((holder) => /:0\b/.test(JSON.stringify(holder)))
  for (const left of [undefined, ...members]) {
    const edit = (whole: Bytes, ofType: string): Bytes => edited(whole, ofType, left)
    const got = usageIn((await told(stressCase, script, { edit })).events)
    const wrong = wrongCount(got, left === undefined || saysNone)
    if (wrong !== undefined) return absentFault(wrong, got, left)
  }
  return undefined
}

/** In lines of `name=1`, or of the like, and in attributes. */
async function faultInText(stressCase: StressCase, text: string): Promise<string | undefined> {
  const lines = text.split('\n').filter((line) => numbersIn(line).some(([, , , count]) => counts.has(Number(count))))
  const none = textOf((await told(stressCase, zeros)).body)
  for (const [field, name = ''] of lines.flatMap((line) => numbersIn(line))) {
    if (!none.includes(field.replace(/\d+(?=\D*$)/, '0'))) continue
    const edit = (whole: Bytes): Bytes => Buffer.from(textOf(whole).replace(field, ''), 'latin1')
    // Not every format does without.
    const got = await told(stressCase, script, { edit }).then(
      ({ events }) => usageIn(events),
      () => ({}),
    )
    const wrong = wrongCount(got, true)
    if (wrong !== undefined) return absentFault(wrong, got, name)
  }
  return undefined
}

/** Each with its name and its count. */
function numbersIn(line: string): readonly RegExpExecArray[] {
  return [...line.matchAll(/[ \t,;&]*([\w.-]+)[=:] *(\\?["']?)(\d+)\b\2/g)]
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('latin1')
}

function absentFault(wrong: keyof Usage, got: Usage, left: string | undefined): string {
  return `\`${wrong}\` is ${got[wrong]} where the response says nothing of ${left === undefined ? 'usage' : `\`${left}\``}: what it does not say is \`undefined\``
}

function usageIn(events: readonly TurnEvent[]): Usage {
  return events.find((event) => event.type === 'turn-end')?.usage ?? {}
}

function wrongCount(got: Usage, zeroIsWrong: boolean): keyof Usage | undefined {
  return (Object.keys(usage) as (keyof Usage)[]).find((name) => {
    const count = got[name]
    return count !== undefined && (!Number.isInteger(count) || count < 0 || (zeroIsWrong && count === 0))
  })
}

function payloadsOf(body: Bytes, type: string): readonly unknown[] {
  const whole = parsed(Buffer.from(body).toString())
  return isObject(whole) ? [whole] : streamPayloads(body, type).payloads
}

/** Objects with a count of the script. */
function holdersOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap((item) => holdersOf(item))
  if (!isObject(value)) return []
  const inner = Object.values(value).flatMap((member) => holdersOf(member))
  return isHolder(value) ? [value, ...inner] : inner
}

/** Names of what such an object counts, at any depth. */
function numbersOf(value: unknown): readonly string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => (typeof member === 'number' ? [name] : numbersOf(member)))
}

/** The response without one member of its usage, or without all that holds a count of the script. */
function edited(body: Bytes, type: string, left: string | undefined): Bytes {
  const change = (value: unknown): unknown => without(value, left, false)
  const whole = parsed(Buffer.from(body).toString())
  if (isObject(whole)) return new TextEncoder().encode(JSON.stringify(change(whole)))
  const stream = streamPayloads(body, type)
  return stream.with(new Map(stream.payloads.map((payload, at) => [at, [JSON.stringify(change(payload))]])))
}

function without(value: unknown, left: string | undefined, isUsage: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, left, isUsage))
  if (!isObject(value)) return value
  const counting = isUsage || isHolder(value)
  const kept = Object.entries(value).filter(([name, member]) =>
    left === undefined ? !(counting && typeof member === 'number') && !isPure(member) : !(counting && name === left),
  )
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member, left, counting)]))
}

function isHolder(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).some((member) => counts.has(member))
}

/** Counts and nothing else, so that it can be missing as a whole. */
function isPure(value: unknown): boolean {
  return isObject(value) && isHolder(value) && Object.values(value).every((member) => typeof member !== 'string')
}
