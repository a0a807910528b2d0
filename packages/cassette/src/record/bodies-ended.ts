import { setTimeout } from 'node:timers/promises'
import type { Recorder } from './recorder.ts'

/** Milliseconds that the bytes of an answer may take to end after the answer did, which ends a turn. */
const closingTime = 300

/**
 * Settles when every body has ended, or a moment has passed: whoever has its answer does not read on, so that a recording which is finished
 * at once would say that the reader left.
 */
export async function bodiesEnded(recorder: Pick<Recorder, 'exchanges'>, stop?: AbortSignal): Promise<void> {
  const isOpen = (): boolean =>
    recorder.exchanges().some(({ response }) => response.status > 0 && response.ending === 'abort')
  const begun = performance.now()
  while (stop?.aborted !== true && performance.now() - begun < closingTime && isOpen()) await setTimeout(5)
}
