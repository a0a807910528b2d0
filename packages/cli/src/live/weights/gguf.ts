/**
 * A writer of GGUF files, version 3, as small as llama.cpp will load: one `llama` model with F32 tensors and a vocabulary of byte-level BPE.
 * The layout of the file is https://github.com/ggml-org/ggml/blob/master/docs/gguf.md; the names of the tensors and keys are those of
 * "Standardized tensor names" and "Standardized key-value pairs" there.
 */

/** How many of what a model has. `width` is a multiple of `heads`, and `heads` of `kvHeads`. */
export interface ModelShape {
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly kvHeads: number
  readonly feedForward: number
  /** Tokens. */
  readonly context: number
}

/** `type`: 1 a piece of text, 3 a control token that is not part of the text, 4 a piece that is never cut (`token_type` of the format). */
export interface Token {
  readonly text: string
  readonly type: 1 | 3 | 4
}

export interface ModelFile {
  readonly name: string
  readonly tokens: readonly Token[]
  /** Ids of the tokens that begin a text and end an answer. */
  readonly begin: number
  readonly end: number
  /** Jinja; what turns a conversation into a prompt. */
  readonly template: string
  readonly shape: ModelShape
  /** Row by row; `columns` is 1 for a vector. */
  readonly fill: (tensor: string, rows: number, columns: number) => Float32Array
}

/** Value types of the format that are used here. */
const types = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, list: 9 } as const

/** The bytes of the file. */
export function writeGguf(file: ModelFile): Uint8Array {
  const tensors = tensorsOf(file)
  const pairs = pairsOf(file)
  const head = createWriter()
  head.bytes(new TextEncoder().encode('GGUF'))
  head.u32(3)
  head.u64(tensors.length)
  head.u64(pairs.length)
  for (const [key, value] of pairs) {
    head.text(key)
    writeValue(head, value)
  }
  let offset = 0
  for (const { name, sizes, data } of tensors) {
    head.text(name)
    head.u32(sizes.length)
    for (const size of sizes) head.u64(size)
    head.u32(0)
    head.u64(offset)
    offset = aligned(offset + data.byteLength)
  }
  head.pad()
  for (const { data } of tensors) {
    head.bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    head.pad()
  }
  return head.finish()
}

interface Tensor {
  readonly name: string
  /** The quickest one first, as the format wants it. */
  readonly sizes: readonly number[]
  readonly data: Float32Array
}

function tensorsOf({ tokens, shape, fill }: ModelFile): readonly Tensor[] {
  const { width, layers, feedForward } = shape
  const narrow = (width * shape.kvHeads) / shape.heads
  const matrix = (name: string, rows: number, columns: number): Tensor => {
    return { name, sizes: [columns, rows], data: fill(name, rows, columns) }
  }
  const vector = (name: string): Tensor => ({ name, sizes: [width], data: fill(name, width, 1) })
  const blocks = Array.from({ length: layers }, (_, index) => `blk.${index}`).flatMap((block) => [
    vector(`${block}.attn_norm.weight`),
    matrix(`${block}.attn_q.weight`, width, width),
    matrix(`${block}.attn_k.weight`, narrow, width),
    matrix(`${block}.attn_v.weight`, narrow, width),
    matrix(`${block}.attn_output.weight`, width, width),
    vector(`${block}.ffn_norm.weight`),
    matrix(`${block}.ffn_gate.weight`, feedForward, width),
    matrix(`${block}.ffn_up.weight`, feedForward, width),
    matrix(`${block}.ffn_down.weight`, width, feedForward),
  ])
  const embedding = matrix('token_embd.weight', tokens.length, width)
  return [embedding, vector('output_norm.weight'), matrix('output.weight', tokens.length, width), ...blocks]
}

type Value =
  | readonly ['u32' | 'f32', number]
  | readonly ['bool', boolean]
  | readonly ['text', string]
  | readonly ['texts', readonly string[]]
  | readonly ['i32s', readonly number[]]

function pairsOf({ name, tokens, begin, end, template, shape }: ModelFile): readonly (readonly [string, Value])[] {
  return [
    ['general.architecture', ['text', 'llama']],
    ['general.name', ['text', name]],
    ['general.alignment', ['u32', alignment]],
    ['general.file_type', ['u32', 0]],
    ['llama.context_length', ['u32', shape.context]],
    ['llama.embedding_length', ['u32', shape.width]],
    ['llama.block_count', ['u32', shape.layers]],
    ['llama.feed_forward_length', ['u32', shape.feedForward]],
    ['llama.attention.head_count', ['u32', shape.heads]],
    ['llama.attention.head_count_kv', ['u32', shape.kvHeads]],
    ['llama.attention.layer_norm_rms_epsilon', ['f32', 1e-5]],
    ['llama.rope.dimension_count', ['u32', shape.width / shape.heads]],
    ['llama.vocab_size', ['u32', tokens.length]],
    ['tokenizer.ggml.model', ['text', 'gpt2']],
    ['tokenizer.ggml.pre', ['text', 'gpt-2']],
    ['tokenizer.ggml.tokens', ['texts', tokens.map(({ text }) => text)]],
    ['tokenizer.ggml.token_type', ['i32s', tokens.map(({ type }) => type)]],
    ['tokenizer.ggml.merges', ['texts', []]],
    ['tokenizer.ggml.bos_token_id', ['u32', begin]],
    ['tokenizer.ggml.eos_token_id', ['u32', end]],
    ['tokenizer.ggml.padding_token_id', ['u32', begin]],
    ['tokenizer.ggml.add_bos_token', ['bool', false]],
    ['tokenizer.chat_template', ['text', template]],
  ]
}

function writeValue(writer: Writer, [type, value]: Value): void {
  switch (type) {
    case 'texts':
      writer.list(types.text, value.length)
      return value.forEach(writer.text)
    case 'i32s':
      writer.list(types.i32, value.length)
      return value.forEach((item) => writer.u32(item))
    case 'u32':
    case 'f32':
      writer.u32(types[type])
      return writer[type](value)
    case 'bool':
      writer.u32(types.bool)
      return writer.bytes(Uint8Array.of(value ? 1 : 0))
    case 'text':
      writer.u32(types.text)
      return writer.text(value)
    default:
      return type satisfies never
  }
}

const alignment = 32

function aligned(offset: number): number {
  return Math.ceil(offset / alignment) * alignment
}

interface Writer {
  readonly bytes: (piece: Uint8Array) => void
  readonly u32: (value: number) => void
  readonly u64: (value: number) => void
  readonly f32: (value: number) => void
  readonly text: (value: string) => void
  /** The type and the number of the items, which are to follow. */
  readonly list: (type: number, count: number) => void
  /** Zeros up to the next offset where a tensor may begin. */
  readonly pad: () => void
  readonly finish: () => Uint8Array
}

/** All numbers are little-endian. */
function createWriter(): Writer {
  const pieces: Uint8Array[] = []
  let size = 0
  const bytes = (piece: Uint8Array): void => {
    pieces.push(piece)
    size += piece.length
  }
  const number = (length: number, set: (view: DataView) => void): void => {
    const piece = new Uint8Array(length)
    set(new DataView(piece.buffer))
    bytes(piece)
  }
  const u32 = (value: number): void => number(4, (view) => view.setUint32(0, value, true))
  const u64 = (value: number): void => number(8, (view) => view.setBigUint64(0, BigInt(value), true))
  const text = (value: string): void => {
    const encoded = new TextEncoder().encode(value)
    u64(encoded.length)
    bytes(encoded)
  }
  return {
    bytes,
    u32,
    u64,
    f32: (value) => number(4, (view) => view.setFloat32(0, value, true)),
    text,
    list(type, count) {
      u32(types.list)
      u32(type)
      u64(count)
    },
    pad: () => bytes(new Uint8Array(aligned(size) - size)),
    finish() {
      const whole = new Uint8Array(size)
      let offset = 0
      for (const piece of pieces) {
        whole.set(piece, offset)
        offset += piece.length
      }
      return whole
    },
  }
}
