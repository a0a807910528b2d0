import type { ScriptedAnswer, ScriptedBreakage } from '../script.ts'
import type { Reply } from './play.ts'
import type { AnswerContext, WireSimulation } from './wire-simulation.ts'

interface BreakageFacts {
  readonly simulation: WireSimulation
  readonly context: AnswerContext
  /** Those of a whole answer. */
  readonly headers: Readonly<Record<string, string>>
}

/** Longer than any excerpt may be. */
const rubbish = 'kein JSON 東京 '.repeat(60)

/** The page that a gateway in front of the provider shows. It says nothing in the provider's format, and comes without its headers. */
const page = (status: number): string =>
  `<!doctype html>\n<html>\n<head><title>${status}</title></head>\n<body>\n<h1>${status}</h1>\n<p>Zürich gateway: the page cannot be shown.</p>\n<!-- ${'padding for old browsers '.repeat(20)}-->\n</body>\n</html>\n`

/** What comes when something between the provider and its caller breaks an answer. */
export function breakageReply(turn: ScriptedBreakage, facts: BreakageFacts): Reply {
  const { headers } = facts
  switch (turn.breakage) {
    case 'html-page': {
      const status = turn.status ?? 502
      return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, text: page(status) }
    }
    case 'empty-body':
      return { status: 200, headers, text: '' }
    case 'broken-json':
      return { status: 200, headers, text: brokenText(turn, facts) }
    case 'reset':
      if (turn.says === undefined) return { status: 0, headers: {}, text: '', breaks: true }
      return { status: 200, headers, text: halfText(turn, facts), breaks: true }
    default:
      return turn.breakage satisfies never
  }
}

function answerOf({ says = [] }: ScriptedBreakage): ScriptedAnswer {
  return { type: 'answer', parts: says }
}

/** In a stream the rubbish is the payload of one more event in the middle. */
function brokenText(turn: ScriptedBreakage, { simulation, context }: BreakageFacts): string {
  if (!simulation.isStream(context.request)) {
    const text = JSON.stringify(simulation.answerJson(answerOf(turn), context))
    const middle = Math.floor(text.length / 2)
    // A line end is wrong inside of a text, and the words are wrong outside of one.
    return `${text.slice(0, middle)}\n${rubbish}${text.slice(middle)}`
  }
  const { frames, terminal } = simulation.answerStream(answerOf(turn), context)
  const middle = Math.floor(terminal / 2)
  return frames.toSpliced(middle, 0, brokenFrame(frames[middle] ?? '')).join('')
}

/** The same fields and line ends; what was JSON begins as such and goes on as rubbish. */
function brokenFrame(frame: string): string {
  const lineEnds = frame.slice(frame.trimEnd().length)
  return `${frame.slice(0, frame.indexOf('{'))}{"broken": ${rubbish}${lineEnds}`
}

/** The first half of the answer; in a stream whole events. */
function halfText(turn: ScriptedBreakage, { simulation, context }: BreakageFacts): string {
  if (simulation.isStream(context.request)) {
    const { frames, terminal } = simulation.answerStream(answerOf(turn), context)
    return frames.slice(0, terminal).join('')
  }
  const text = JSON.stringify(simulation.answerJson(answerOf(turn), context))
  return text.slice(0, Math.floor(text.length / 2))
}
