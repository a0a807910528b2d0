import { beginToken, byteTokens, endToken, startToken } from './byte-tokens.ts'
import { chatTemplate } from './chat-template.ts'
import { writeGguf, type Token } from './gguf.ts'
import { normalRandom, seededRandom } from './seeded-random.ts'

/** Pieces that make calls and thoughts likely, each with its weight: what a random model says is then not all text. */
const likely: readonly (readonly [text: string, weight: number])[] = [
  ['<tool_call>', 3.2],
  ['</tool_call>', 3],
  ['{"name": "', 2],
  ['", "arguments": ', 2],
  ['<think>\n', 1],
  ['\n</think>\n\n', 1.5],
]

/** `bytes`: bytes above 127 are likely, so that the text is often no UTF-8. */
export type RandomKind = 'text' | 'bytes'

/** A model of two small layers whose weights mean nothing: what it says is garbage, in calls too, and grammar makes some of it valid. */
export function randomModel(seed: number, kind: RandomKind = 'text'): Uint8Array {
  const random = seededRandom(seed)
  const controls = [beginToken, startToken, endToken].map((text): Token => ({ text, type: 3 }))
  const pieces = likely.map(([text]): Token => ({ text, type: 4 }))
  const tokens = [...byteTokens, ...controls, ...pieces]
  const weights = weightsOf(tokens, kind)
  return writeGguf({
    name: 'random',
    tokens,
    begin: 256,
    end: 258,
    template: chatTemplate('', ''),
    shape: { width, layers: 2, heads: 4, kvHeads: 2, feedForward: 128, context: 131_072 },
    fill(name, rows, columns) {
      const data = new Float32Array(rows * columns)
      if (name.endsWith('norm.weight')) return data.fill(1)
      // The first column holds how likely a token is, and no layer may write to it.
      if (name === 'token_embd.weight') return data.map((_, at) => (at % width === 0 ? 8 : normalRandom(random)))
      if (name === 'output.weight') {
        return data.map((_, at) => (at % width === 0 ? (weights[at / width] ?? 0) / 5.7 : normalRandom(random) * 0.12))
      }
      const writes = name.includes('output') || name.includes('down')
      return data.map((_, at) => (writes && at < columns ? 0 : normalRandom(random) * 0.12))
    },
  })
}

const width = 64

function weightsOf(tokens: readonly Token[], kind: RandomKind): readonly number[] {
  const named = new Map<string, number>([...likely, [endToken, 1.8]])
  return tokens.map(({ text }, id) => {
    const character = String.fromCharCode(id)
    if (id >= 256) return named.get(text) ?? -9
    if (id >= 128) return kind === 'bytes' ? 1.5 : -5
    if ('etaoinsr "'.includes(character)) return 3
    return /[a-z0-9.,}\]:{]/.test(character) ? 1.5 : -5
  })
}
