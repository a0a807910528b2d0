import type { RunOptions, StepLoop } from '@steploop/core'
import type { Clock } from '@steploop/core/adapter'
import type { ChatStore } from './chat-store.ts'
import type { UiPartOptions } from './ui-parts.ts'

export interface ChatOptions extends UiPartOptions {
  /** Any loop; `stream` is all that is asked of it. */
  readonly loop: Pick<StepLoop, 'stream'>
  readonly store: ChatStore
  /**
   * Whether the caller may use the chat: to read it, to go on with it, to begin it. False answers 404. Default: everybody who knows the id
   * may, so give it wherever there is more than one user.
   */
  readonly authorize?: ((request: Request, chatId: string) => boolean | Promise<boolean>) | undefined
  /** Options of the loop for the run that a request begins. Default: none. */
  readonly runOptions?: ((request: Request, chatId: string) => RunOptions | Promise<RunOptions>) | undefined
  /**
   * When the last page that reads a run is closed: the run goes on to its end and is there when a page comes back (`continue`, default),
   * or it is stopped (`abort`).
   */
  readonly onDisconnect?: 'continue' | 'abort' | undefined
  /** A longer body is refused with 413. In bytes; pages send their whole conversation. Default 4,000,000. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Gets the promise of each run, which never rejects: platforms that end with the response have a `waitUntil` for that. It is called as a
   * function of its own: `(run) => context.waitUntil(run)`.
   */
  readonly waitUntil?: ((run: Promise<void>) => void) | undefined
  /** What failed beside the runs: the store, mostly. The page gets no more than "500". Default: it is dropped. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** How long a run keeps its chat without a sign of life, in milliseconds. Default 30,000. */
  readonly leaseMs?: number | undefined
  /** How often a run gives one, and hears of those who stop it through another server. Default 1,000. */
  readonly heartbeatMs?: number | undefined
  /** How often the store is asked for more of a run of another server. Default 250. */
  readonly pollMs?: number | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
}
