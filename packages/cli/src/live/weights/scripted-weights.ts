import { byteTokens, endToken, beginToken, tokenText } from './byte-tokens.ts'
import { chatTemplate, controlTokens, cueEnding, cueToken, type Cue } from './chat-template.ts'
import { writeGguf, type Token } from './gguf.ts'
import { seededRandom } from './seeded-random.ts'

/** What a model with scripted weights says. */
export interface Play {
  readonly answers: readonly PlayedText[]
  readonly cues: readonly Cue[]
}

export interface PlayedText {
  readonly text: string
  /** The text goes on until its token limit ends it. */
  readonly isEndless: boolean
}

/**
 * A model that plays answers token by token: each piece of each answer is a token of its own, and the output layer maps every token to the
 * next one. Everything around the weights is the server's own: tokenizer, sampling, grammar, its parser of calls and thoughts, framing.
 *
 * @throws Error when an answer is too monotonous to be cut into pieces that are all different
 */
export function scriptedModel({ answers, cues }: Play, seed = 1): Uint8Array {
  const random = seededRandom(seed)
  const tokens: Token[] = [...byteTokens, ...controlTokens.map((text) => ({ text, type: 3 }) as const)]
  const end = idOf(tokens, endToken)
  const next = new Map<number, number>()
  const used = new Set(tokens.map(({ text }) => text))
  for (const [index, answer] of answers.entries()) {
    let before = tokens.push({ text: cueToken(index), type: 3 }) - 1
    for (const piece of cutIntoPieces(answer.text, used, random)) {
      const id = tokens.push({ text: piece, type: 1 }) - 1
      next.set(before, id)
      before = id
    }
    next.set(before, answer.isEndless ? fullStop : end)
  }
  if (answers.some(({ isEndless }) => isEndless)) next.set(fullStop, fullStop)
  const vectors = Float32Array.from({ length: tokens.length * width }, () => (random() < 0.5 ? -1 : 1))
  return writeGguf({
    name: 'scripted',
    tokens,
    begin: idOf(tokens, beginToken),
    end,
    template: chatTemplate(cueEnding(cues)),
    shape: { width, layers: 1, heads: 4, kvHeads: 1, feedForward: 32, context: 131_072 },
    fill(name, rows, columns) {
      const data = new Float32Array(rows * columns)
      if (name.endsWith('norm.weight')) return data.fill(1)
      // A token is embedded as the vector of the one that follows it, and the output layer finds the token of a vector.
      if (name === 'token_embd.weight') return data.map((_, at) => vectors[after(next, at, end)] ?? 0)
      return name === 'output.weight' ? vectors.map((value) => value / 4) : data
    },
  })
}

const width = 512
const fullStop = '.'.charCodeAt(0)

function after(next: ReadonlyMap<number, number>, at: number, end: number): number {
  return (next.get(Math.floor(at / width)) ?? end) * width + (at % width)
}

function idOf(tokens: readonly Token[], text: string): number {
  return tokens.findIndex((token) => token.text === text)
}

const mostAttempts = 3000

/** Texts of tokens that nothing else uses, so that a token says where in the script the model is. */
function cutIntoPieces(text: string, used: Set<string>, random: () => number): readonly string[] {
  const letters = Array.from(text, (letter) => tokenText(new TextEncoder().encode(letter)))
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const pieces: string[] = []
    const longest = 6 + Math.floor(attempt / 50)
    for (let at = 0; at < letters.length;) {
      const size = 2 + Math.floor(random() * longest)
      pieces.push(letters.slice(at, at + size).join(''))
      at += size
    }
    if (new Set(pieces).size < pieces.length || pieces.some((piece) => used.has(piece))) continue
    for (const piece of pieces) used.add(piece)
    return pieces
  }
  throw new Error(`no way to cut ${JSON.stringify(text)} into pieces that are all different`)
}
