import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

export interface AskOptions {
  /** Given on the command line; used up first. */
  readonly answers: readonly string[]
  readonly input: Readable & { readonly isTTY?: boolean | undefined }
  readonly output: Writable
}

/** Answers of a person, from flags, a terminal or a pipe: one per question. */
export interface Person {
  /** The next answer; `''` when flags and input are used up. */
  ask(question: string): Promise<string>
  close(): void
}

/** Opens the input at the first question that the flags do not answer. Without a terminal, questions and answers are echoed. */
export function createPerson({ answers, input, output }: AskOptions): Person {
  const prepared = answers.values()
  let lines: ReturnType<typeof linesOf> | undefined
  return {
    async ask(question) {
      output.write(question)
      const flag = prepared.next()
      lines ??= flag.done ? linesOf(input) : undefined
      const line = flag.done ? await lines?.next() : flag
      const answer = line === undefined || line.done ? '' : line.value.trim()
      if (!(flag.done && input.isTTY)) output.write(`${answer === '' ? '(no answer)' : answer}\n`)
      return answer
    },
    close: () => lines?.close(),
  }
}

function linesOf(input: Readable): { next(): Promise<IteratorResult<string, unknown>>; close(): void } {
  const reader = createInterface({ input })
  const iterator = reader[Symbol.asyncIterator]()
  return { next: () => iterator.next(), close: () => reader.close() }
}
