import type { ScriptedBreakage } from '../script.ts'
import { joined, type Body } from '../wires/simulate/body-bytes.ts'
import type { Reply } from './reply.ts'

/** An answer as it would go over the wire if nothing broke it: one body, or the events of a stream. */
export type WholeAnswer = { readonly body: Body } | WholeStream

export interface WholeStream {
  readonly frames: readonly Body[]
  /** Index of the first frame that proves the end of the turn (CONTRACT: terminal evidence). */
  readonly terminal: number
  /** An event whose payload is no JSON. Default: made from the frame in the middle, which has to be a text then. */
  readonly rubbish?: Body | undefined
}

interface BreakageFacts {
  /** Headers of a whole answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Gives what would be said. */
  readonly whole: () => WholeAnswer
}

/** Longer than any excerpt may be. */
const rubbish = 'kein JSON 東京 '.repeat(60)

/** The page that a gateway in front of the provider shows. It says nothing in the provider's format, and comes without its headers. */
const page = (status: number): string =>
  `<!doctype html>\n<html>\n<head><title>${status}</title></head>\n<body>\n<h1>${status}</h1>\n<p>Zürich gateway: the page cannot be shown.</p>\n<!-- ${'padding for old browsers '.repeat(20)}-->\n</body>\n</html>\n`

/** What comes when something between the provider and its caller breaks an answer. */
export function breakageReply(turn: ScriptedBreakage, { headers, whole }: BreakageFacts): Reply {
  switch (turn.breakage) {
    case 'html-page': {
      const status = turn.status ?? 502
      return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page(status) }
    }
    case 'empty-body':
      return { status: 200, headers, body: '' }
    case 'broken-json':
      return { status: 200, headers, body: brokenBody(whole()) }
    case 'reset':
      if (turn.says === undefined) return { status: 0, headers: {}, body: '', breaks: true }
      return { status: 200, headers, body: halfBody(whole()), breaks: true }
    default:
      return turn.breakage satisfies never
  }
}

/** What is left of an answer that ends too early. At least the last character, or the terminal evidence, is missing, so it is never whole. */
export function cutBody(whole: WholeAnswer, cutAfter: number): Body {
  const share = Math.min(1, Math.max(0, cutAfter))
  if ('frames' in whole) return joined(whole.frames.slice(0, Math.floor(whole.terminal * share)))
  return whole.body.slice(0, Math.floor((whole.body.length - 1) * share))
}

/** In a stream the rubbish is the payload of one more event in the middle. */
function brokenBody(whole: WholeAnswer): Body {
  if (!('frames' in whole)) {
    const { body } = whole
    const middle = Math.floor(body.length / 2)
    // A line end is wrong inside of a text, and the words are wrong outside of one.
    return joined([body.slice(0, middle), `\n${rubbish}`, body.slice(middle)])
  }
  const { frames, terminal } = whole
  const middle = Math.floor(terminal / 2)
  return joined(frames.toSpliced(middle, 0, whole.rubbish ?? brokenFrame(frames[middle] ?? '')))
}

/** Breaks a frame: its fields and line ends stay, what was JSON begins as such and goes on as rubbish. */
function brokenFrame(frame: Body): string {
  if (typeof frame !== 'string') {
    throw new TypeError('frames are bytes: give an event whose payload is no JSON as `rubbish` of the reply')
  }
  const lineEnds = frame.slice(frame.trimEnd().length)
  return `${frame.slice(0, frame.indexOf('{'))}{"broken": ${rubbish}${lineEnds}`
}

/** The first half of the answer; in a stream whole events. */
function halfBody(whole: WholeAnswer): Body {
  if ('frames' in whole) return joined(whole.frames.slice(0, whole.terminal))
  return whole.body.slice(0, Math.floor(whole.body.length / 2))
}
