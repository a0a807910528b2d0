import { expect, test } from 'vitest'
import { writeGguf, type ModelFile } from './gguf.ts'

const model: ModelFile = {
  name: 'tiny',
  tokens: ['a', 'ß', '<end>'].map((text) => ({ text, type: 1 })),
  begin: 0,
  end: 2,
  template: 'x',
  shape: { width: 4, layers: 1, heads: 2, kvHeads: 1, feedForward: 3, context: 64 },
  fill: (name, rows, columns) => new Float32Array(rows * columns).fill(name === 'output_norm.weight' ? 7 : 1),
}

/** Reads a file as https://github.com/ggml-org/ggml/blob/master/docs/gguf.md says. */
function readGguf(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const u32 = (): number => view.getUint32((at += 4) - 4, true)
  const u64 = (): number => Number(view.getBigUint64((at += 8) - 8, true))
  const text = (): string => new TextDecoder().decode(bytes.subarray(at + 8, (at += 8 + u64At(at))))
  const u64At = (offset: number): number => Number(view.getBigUint64(offset, true))
  const value = (type: number): unknown => {
    if (type === 4) return u32()
    if (type === 5) return view.getInt32((at += 4) - 4, true)
    if (type === 6) return view.getFloat32((at += 4) - 4, true)
    if (type === 7) return view.getUint8(at++) === 1
    if (type === 8) return text()
    const [inner, count] = [u32(), u64()]
    return Array.from({ length: count }, () => value(inner))
  }
  const magic = new TextDecoder().decode(bytes.subarray(0, 4))
  at = 4
  const [version, tensorCount, pairCount] = [u32(), u64(), u64()]
  const pairs = new Map(Array.from({ length: pairCount }, () => [text(), value(u32())] as const))
  const tensors = Array.from({ length: tensorCount }, () => {
    const [name, count] = [text(), u32()]
    return { name, sizes: Array.from({ length: count }, u64), type: u32(), offset: u64() }
  })
  const data = Math.ceil(at / 32) * 32
  const first = (name: string): number => {
    return view.getFloat32(data + (tensors.find((tensor) => tensor.name === name)?.offset ?? NaN), true)
  }
  return { magic, version, pairs, tensors, first, size: bytes.length, data }
}

test('a file holds its header, its pairs and its tensors where the format wants them', () => {
  const file = readGguf(writeGguf(model))
  expect([file.magic, file.version]).toEqual(['GGUF', 3])
  expect(file.pairs.get('tokenizer.ggml.tokens')).toEqual(['a', 'ß', '<end>'])
  expect(file.pairs.get('tokenizer.ggml.token_type')).toEqual([1, 1, 1])
  expect(file.pairs.get('tokenizer.ggml.add_bos_token')).toBe(false)
  expect(file.pairs.get('llama.attention.layer_norm_rms_epsilon')).toBeCloseTo(1e-5)
  expect(file.tensors.map(({ name, sizes }) => [name, ...sizes])).toContainEqual(['blk.0.attn_k.weight', 4, 2])
  expect(file.tensors.every(({ offset }) => offset % 32 === 0)).toBe(true)
  expect(file.first('output_norm.weight')).toBe(7)
  const last = file.tensors.at(-1)
  expect(file.size).toBe(file.data + (last?.offset ?? 0) + Math.ceil((4 * 3 * 4) / 32) * 32)
})
