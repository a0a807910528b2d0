import { createParser } from 'eventsource-parser'
import type { Frame, Framer } from '../contract/adapter.ts'

/**
 * Server-sent events (WHATWG HTML, section 9.2): comments, CR, LF and CRLF, `event:` before or after `data:`, a BOM, characters cut
 * between two chunks. Unlike a browser it gives a last event without its blank line: real servers end so
 * (docs/wire.md#the-last-blank-line).
 */
export function createSseFramer(): Framer {
  const text = new TextDecoder()
  let emit: (frame: Frame) => void = ignore
  const parser = createParser({ onEvent: (event) => emit(event) })
  return {
    push(bytes, onFrame) {
      emit = onFrame
      parser.feed(text.decode(bytes, { stream: true }))
    },
    end(onFrame) {
      emit = onFrame
      parser.feed(`${text.decode()}\n\n`)
    },
  }
}

/** Newline-delimited JSON: one frame per line that is not blank. A last line without its line end counts. */
export function createNdjsonFramer(): Framer {
  const text = new TextDecoder()
  let rest = ''
  return {
    push(bytes, onFrame) {
      // Only what is new is searched: a long line in many chunks must not be looked through again with each.
      const lines = text.decode(bytes, { stream: true }).split('\n')
      const tail = lines.pop() ?? ''
      for (const line of lines) {
        emitLine(rest + line, onFrame)
        rest = ''
      }
      rest += tail
    },
    end(onFrame) {
      emitLine(rest + text.decode(), onFrame)
      rest = ''
    },
  }
}

function emitLine(line: string, onFrame: (frame: Frame) => void): void {
  const data = line.trim()
  if (data !== '') onFrame({ event: undefined, data })
}

function ignore(): void {
  // Replaced before the first frame can come.
}
