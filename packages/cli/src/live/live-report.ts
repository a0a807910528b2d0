import type { AtOnceOutcome } from './trials/at-once.ts'
import type { FaultOutcome } from './trials/faults.ts'
import type { FuzzOutcome } from './trials/fuzz.ts'
import type { RecordedCase } from './record-local.ts'

/** What `steploop live` found. */
export interface LiveReport {
  /** Name and version of each server that was there. */
  readonly servers: string[]
  readonly skipped: string[]
  readonly recorded: RecordedCase[]
  readonly faults: FaultOutcome[]
  readonly atOnce: AtOnceOutcome[]
  readonly fuzz: FuzzOutcome[]
}

export function isGood({ recorded, faults, fuzz, atOnce }: LiveReport): boolean {
  const asExpected = recorded.every(({ status }) => status === 'written' || status === 'left-out')
  return asExpected && [...faults, ...fuzz, ...atOnce].every(({ broken }) => broken.length === 0)
}

/** The report for people, after what was told case by case. */
export function printLive({ servers, skipped, recorded, faults, fuzz, atOnce }: LiveReport): string {
  const lines = [...servers.map((server) => `server: ${server}`), ...skipped.map((why) => `skipped: ${why}`)]
  if (recorded.length > 0) lines.push(...printRecorded(recorded))
  for (const { server, fault, tried, good, broken } of faults)
    lines.push(`${sign(broken)} ${server}: ${fault}: ${good} of ${tried}`, ...indented(broken))
  for (const { server, tried, broken } of atOnce)
    lines.push(`${sign(broken)} ${server}: at once: ${tried - broken.length} of ${tried} runs`, ...indented(broken))
  lines.push(...fuzz.flatMap(printFuzz))
  return `${lines.join('\n')}\n`
}

function printRecorded(recorded: readonly RecordedCase[]): readonly string[] {
  const count = (status: RecordedCase['status']): number => recorded.filter((one) => one.status === status).length
  const reasons = Map.groupBy(
    recorded.filter(({ status }) => status === 'left-out'),
    ({ reasons: [reason = 'not applicable'] }) => reason,
  )
  const left = [...reasons].map(([reason, cases]) => `– ${cases.length} × ${reason}`)
  const failed = count('failed') + count('refused')
  const sum = `${count('written')} written, ${count('refused')} refused by the server, ${count('failed')} failed, ${count('left-out')} left out`
  return [...left, `${failed === 0 ? '✓' : '✗'} recorded: ${sum}`]
}

function sign(broken: readonly string[]): string {
  return broken.length === 0 ? '✓' : '✗'
}

function printFuzz({ server, runs, turns, calls, executed, endings, broken }: FuzzOutcome): readonly string[] {
  const ends = Object.entries(endings).toSorted(([, one], [, other]) => other - one)
  return [
    `${sign(broken)} ${server}: fuzz: ${runs} runs, ${turns} turns, ${calls} calls, ${executed} ran; ${broken.length} invariants broken`,
    ...indented(broken),
    ...ends.map(([ending, count]) => `  ${count} × ${ending}`),
  ]
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`)
}

/** One case, as soon as it is known. */
export function printCase({ name, status, reasons, exchange }: RecordedCase): string | undefined {
  if (status === 'left-out') return undefined
  const lines = [`${status} ${name}`, ...reasons.map((reason) => `  ${reason.replaceAll('\n', '\n  ')}`)]
  if (status !== 'failed' || exchange === undefined) return lines.join('\n')
  const { request, response } = exchange
  lines.push(
    `  > ${request.method} ${request.url} ${excerpt(request.body)}`,
    `  < ${response.status} ${excerpt(response.body)}`,
  )
  return lines.join('\n')
}

function excerpt(body: Uint8Array): string {
  const text = new TextDecoder().decode(body).replaceAll(/\s+/g, ' ').trim()
  return text.length <= 1200 ? text : `${text.slice(0, 600)} ... ${text.slice(-600)}`
}
