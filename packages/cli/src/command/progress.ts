export interface Progress {
  /** Says that number `number` of `total` is under way, and what it is. */
  readonly begin: (number: number, total: number, what: string) => void
  /** Makes room for other lines. */
  readonly end: () => void
}

export interface ProgressOptions {
  /** What takes less says nothing. Default 2,000. */
  readonly quietMs?: number | undefined
  /** Between two lines where there is no terminal. Default 5,000. */
  readonly everyMs?: number | undefined
  readonly out?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'> | undefined
  readonly now?: (() => number) | undefined
}

const terminalMs = 100

/** How far a command is, on stderr: on a terminal one line that is written over, elsewhere a line now and then. */
export function startProgress(options: ProgressOptions = {}): Progress {
  const { quietMs = 2_000, everyMs = 5_000, out = process.stderr, now = () => performance.now() } = options
  const started = now()
  let next = started + quietMs
  let isShown = false
  return {
    begin(number, total, what) {
      const time = now()
      if (time < next) return
      next = time + (out.isTTY ? terminalMs : everyMs)
      const line = `${number} of ${total}, ${Math.round((time - started) / 1000)} s: ${what}`
      isShown = true
      // A line that wraps could not be written over.
      out.write(out.isTTY ? `\r\u001B[K${line.slice(0, out.columns - 1)}` : `${line}\n`)
    },
    end() {
      if (out.isTTY && isShown) out.write('\r\u001B[K')
      isShown = false
    },
  }
}
