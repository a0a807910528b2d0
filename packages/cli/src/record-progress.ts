import { elapsed } from './record-words.ts'

export interface RecordingProgress {
  readonly begin: (number: number, total: number, name: string) => void
  /** Makes room for other lines. */
  readonly end: () => void
}

/** Count, elapsed time and case on stderr: on a terminal one line that is written over, elsewhere a line for each case. */
export function startProgress(): RecordingProgress {
  const started = performance.now()
  const { isTTY } = process.stderr
  return {
    begin(number, total, name) {
      const line = `${number} of ${total} ${elapsed(performance.now() - started)} ${name}`
      process.stderr.write(isTTY ? `\r\u001B[K${line}` : `${line}\n`)
    },
    end() {
      if (isTTY) process.stderr.write('\r\u001B[K')
    },
  }
}
