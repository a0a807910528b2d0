import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

/** Parts of a file that were loaded and never ran, in UTF-16 units: what is changed in one of them changes nothing. */
export type IdleCode = Readonly<Record<string, readonly (readonly [start: number, end: number])[]>>

/** Watches what runs in this process from now on. Types are taken out of sources in place, so what V8 counts stands where the source has it. */
export async function watchCode(): Promise<() => Promise<IdleCode>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    session.disconnect()
    const own = result.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
    return Object.fromEntries(
      own.map(({ url, functions }) => [fileURLToPath(url), idleIn(functions.flatMap(({ ranges }) => ranges))]),
    )
  }
}

interface CountedRange {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/** Ranges lie in one another, and the innermost one counts. One that never ran may hold others, of functions that never ran either. */
function idleIn(ranges: readonly CountedRange[]): readonly (readonly [number, number])[] {
  const ran = ranges.filter(({ count }) => count > 0)
  return ranges
    .filter(({ count }) => count === 0)
    .filter(
      (idle) =>
        !ran.some((one) => one !== idle && idle.startOffset <= one.startOffset && one.endOffset <= idle.endOffset),
    )
    .map(({ startOffset, endOffset }) => [startOffset, endOffset] as const)
}

/** Whether all of an edit lies in code that never ran. */
export function isIdle(
  idle: IdleCode,
  { file, start, end }: { readonly file: string; readonly start: number; readonly end: number },
): boolean {
  return (idle[file] ?? []).some(([from, to]) => from <= start && end <= to)
}
