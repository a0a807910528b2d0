import { setImmediate, setTimeout } from 'node:timers/promises'
import { watchRejections } from './watch-rejections.ts'

/** What a case left behind in the process, as a check that failed. */
export interface Leak {
  readonly id: string
  readonly sentence: string
  readonly messages: readonly string[]
}

export interface ProcessWatch {
  /** What was left behind since the last call. */
  take(): Promise<readonly Leak[]>
  stop(): void
}

/** Watches what no result shows: unhandled rejections, timers that go on, and what is printed. */
export function watchProcess(): ProcessWatch {
  const rejections = watchRejections()
  const prints = watchConsole()
  const timers = watchTimers()
  return {
    async take() {
      const found: readonly Leak[] = [
        {
          id: 'no-unhandled-rejections',
          sentence: 'No promise is rejected without anybody listening.',
          messages: await rejections.take(),
        },
        { id: 'quiet', sentence: 'Nothing is written to the console.', messages: prints.take() },
        {
          id: 'no-leaked-timers',
          sentence: 'No timer goes on when the runs are over.',
          messages: await timers.take(),
        },
      ]
      return found.filter(({ messages }) => messages.length > 0)
    },
    stop() {
      rejections.stop()
      prints.stop()
    },
  }
}

const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const
const printsReported = 3

/** Console output is kept from the terminal: it would break the report that is printed there. */
function watchConsole(): { take: () => readonly string[]; stop: () => void } {
  let seen: string[] = []
  const restore = methods.map((name) => {
    const real = Reflect.get(globalThis.console, name)
    Reflect.set(globalThis.console, name, (...words: readonly unknown[]) => {
      seen.push(`console.${name}: ${words.map(String).join(' ').slice(0, 160)}`)
    })
    return () => Reflect.set(globalThis.console, name, real)
  })
  return {
    take() {
      const taken = seen
      seen = []
      const more = taken.length > printsReported ? [`and ${taken.length - printsReported} more lines`] : []
      return [...taken.slice(0, printsReported), ...more]
    },
    stop: () => restore.forEach((back) => back()),
  }
}

/** Timers that are just about to end get this many chances, each some milliseconds long. */
const chances = 40
const chanceMs = 25

function watchTimers(): { take: () => Promise<readonly string[]> } {
  const running = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length
  let before = running()
  return {
    async take() {
      await setImmediate()
      for (let chance = 0; chance < chances && running() > before; chance++) await setTimeout(chanceMs)
      const more = running() - before
      before = running()
      if (more <= 0) return []
      return [
        `${more} timers are still running; they keep a program alive after its work is done. Clear them when the turn is over.`,
      ]
    },
  }
}
