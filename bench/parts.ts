import { SourceMap } from 'node:module'
import { bundleOf, gzipped, minimal } from './footprint.ts'

/** What a minimal program carries; a module belongs to the first part that it fits. */
const parts: readonly (readonly [title: string, modules: RegExp])[] = [
  ['the adapter itself', /adapters\/openai-compatible/],
  ['strict schemas', /strict-schema/],
  ['structured output, and its partial JSON', /core\/src\/output|partial-json/],
  ['approvals, and checks of what the caller answers', /approv|check-answers/],
  ['repair of histories', /transcript\/(history|unique-ids)/],
  ['migrations of transcripts', /transcript-migrations/],
  ['calls that start early', /eager-tools/],
  ['time limits of a turn', /turn-timeout/],
  ['models that stand in', /recover-turn/],
  ['conversations that the provider keeps', /provider-state/],
  ['hooks and middleware', /state\/hooks|middleware|run-through|input-hooks|resolve-input/],
  ['limits, and calls that repeat', /state\/limits/],
  ['options: checks, defaults', /core\/src\/options/],
  ['keeping keys out of errors', /http\/(redact|secret|bare-cause)/],
  ['errors of providers, and when to retry', /provider-error|http-error|retry-after/],
  ['HTTP: requests, bodies, framing, limits of time and size', /core\/src\/http|framing|clock/],
  ['classes of errors, with what to do about each code', /contract\/errors|error-text/],
  ['chunks that repeat', /chunk-parser/],
  ['folding a turn, and assembling its calls', /collect-turn|assembler|tool-input|usage|logprobs/],
  ['any input, and transcripts that go on', /run-input|settle-step|transcript/],
  ['data of tools: read, copied, frozen', /own-data|json-value|wire\/json|thenable/],
  ['requests: what is encoded once, names, lists of tools', /core\/src\/wire/],
  ['calls: planned, run, answered', /core\/src\/calls|(judge|execute)-calls/],
  ['the run: its turns, state, signals, end', /core\/src\/run/],
  ['`StepLoop`, its streams and `tool`', /core\/src\/(loop|tools)|bench\/program/],
]

export interface Price {
  readonly title: string
  /** Bytes that the compressed program would be smaller without it. */
  readonly gzip: number
}

/** Largest first. What parts have in common is in none of them, so that they are less than the whole. */
export async function measureParts(): Promise<readonly Price[]> {
  const { code, map } = await bundleOf(minimal, true)
  if (map === null) throw new Error('The bundle has no source map.')
  const pieces = piecesOf(code, new SourceMap({ ...map, sourceRoot: '' }))
  const whole = gzipped(pieces.map(({ text }) => text).join(''))
  const titles = new Set([...parts.map(([title]) => title), ...pieces.map(({ title }) => title)])
  return [...titles]
    .map((title) => {
      const rest = pieces.filter((piece) => piece.title !== title).map(({ text }) => text)
      return { title, gzip: whole - gzipped(rest.join('')) }
    })
    .toSorted((one, other) => other.gzip - one.gzip)
}

/** The program, cut where the next module begins, with the part that each piece belongs to. */
function piecesOf(code: string, map: SourceMap): readonly { readonly title: string; readonly text: string }[] {
  const pieces: { title: string; text: string }[] = []
  for (const [row, line] of code.split('\n').entries()) {
    for (let column = 0; column < line.length; column++) {
      const entry = map.findEntry(row, column)
      const source = 'originalSource' in entry ? entry.originalSource : ''
      const title = parts.find(([, modules]) => modules.test(source))?.[0] ?? `in no part: ${source}`
      const last = pieces.at(-1)
      if (last?.title === title) last.text += line.charAt(column)
      else pieces.push({ title, text: line.charAt(column) })
    }
  }
  return pieces
}
