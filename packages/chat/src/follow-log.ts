import type { Clock } from '@steploop/core/adapter'
import type { Change } from './change.ts'
import type { ChatStore, LogPage } from './chat-store.ts'
import { endOfStream, heartbeat, heartbeatMs, printChunk } from './chunks.ts'

export interface FollowOptions {
  readonly store: ChatStore
  readonly chatId: string
  readonly messageId: string
  /** Entries that the page has already. */
  readonly after: number
  /** Change of the run, where it is one of this process. */
  readonly change: Change | undefined
  /** How often the store is asked for more where the run is another process's. */
  readonly pollMs: number
  readonly clock: Clock
  readonly onLeave: () => void
  readonly onError: (error: unknown) => void
}

/** The log of a message as it grows, at the pace of its reader; leaving it leaves the run alone. */
export function followLog(options: FollowOptions): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder()
  let { after } = options
  let isEnded = false
  let isLeft = false
  let wake = (): void => undefined
  const leave = (): void => {
    if (!isLeft) options.onLeave()
    isLeft = true
  }
  /** Milliseconds in which nothing came. */
  let quiet = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const seen = options.change?.count ?? 0
          const isOver = options.change?.isOver === true
          const page = await readLog(options, after, leave)
          if (isLeft) return
          if (page === undefined) throw new Error('The chat has gone on with another message. Load it anew.')
          after += page.entries.length
          const last = page.entries.at(-1)
          if (last !== undefined) isEnded = isEnd(last)
          const text = page.entries.filter((entry, index) =>
            isSent(entry, index === page.entries.length - 1, page.isOpen),
          )
          if (last !== undefined) quiet = 0
          // A run that could not even store its end still has the chat.
          if (!page.isOpen || (isOver && last === undefined)) {
            controller.enqueue(bytes.encode(text.join('') + (isEnded ? '' : brokenOff) + endOfStream))
            return controller.close()
          }
          if (text.length > 0) return controller.enqueue(bytes.encode(text.join('')))
          if (last !== undefined) continue
          quiet += await new Promise<number>((resolve) => {
            wake = waitForMore(options, seen, resolve)
          })
          if (isLeft) return
          if (quiet < heartbeatMs) continue
          quiet = 0
          return controller.enqueue(bytes.encode(heartbeat))
        }
      },
      cancel() {
        leave()
        wake()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Who cannot read on is told so by a connection that breaks, and counts as gone. */
async function readLog(
  { store, chatId, messageId, onError }: FollowOptions,
  after: number,
  leave: () => void,
): Promise<LogPage | undefined> {
  try {
    return await store.read(chatId, messageId, after)
  } catch (error) {
    leave()
    onError(error)
    throw new Error('The answer cannot be read now. Load the chat anew.', { cause: error })
  }
}

const brokenOff = printChunk({ type: 'error', errorText: 'The answer was broken off. Please try again.' })

function isEnd(entry: string): boolean {
  return /^data: \{"type":"(finish|error)"/.test(entry)
}

/** How an earlier run ended is no news to a reader of what came after it, and pages stop reading at an error. */
function isSent(entry: string, isLast: boolean, isOpen: boolean): boolean {
  return (isLast && !isOpen) || !entry.startsWith('data: {"type":"error"')
}

/** Gives the milliseconds that went by without news; 0 where there is some. The returned function ends the wait. */
function waitForMore(
  { change, clock, pollMs }: FollowOptions,
  seen: number,
  answer: (quiet: number) => void,
): () => void {
  const ms = change === undefined ? pollMs : heartbeatMs
  const cancels: (() => void)[] = []
  const settle = (quiet: number): void => {
    for (const cancel of cancels) cancel()
    answer(quiet)
  }
  cancels.push(clock.after(ms, () => settle(ms)))
  if (change !== undefined) cancels.push(change.after(seen, () => settle(0)))
  return () => settle(0)
}
