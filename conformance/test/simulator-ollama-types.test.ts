import { textsOf } from '../src/wires/simulate/body-bytes.ts'
import type { ChatRequest, ChatResponse, Message, ToolCall } from 'ollama'
import { expect, test } from 'vitest'

import { simulatedWire, type AnswerContext } from '@steploop/conformance/simulator'

import { freedomOf } from '../src/wires/index.ts'
import { typeMapOf, typesBeyond } from '../src/type-map.ts'
import { answers } from './simulator-scripts.ts'

/*
 * There is no recorded traffic of the native endpoint. In its place stand samples of the types that Ollama publishes: the compiler
 * checks that they are whole, and the simulator may send nothing that they do not have.
 */

/** On the wire a date is a text, and images are texts too. */
type OnWire<T> = Omit<T, 'created_at' | 'images'> & { created_at: string }
type WireMessage = Omit<Message, 'images'> & { images?: string[] }

const call: Required<ToolCall> = { function: { name: 'get_weather', arguments: { city: 'Zürich' } } }
const message: Required<WireMessage> = {
  role: 'assistant',
  content: '',
  thinking: '',
  images: [''],
  tool_calls: [call],
  tool_name: '',
}
const response: OnWire<Required<Omit<ChatResponse, 'message'>>> & { message: Required<WireMessage> } = {
  model: '',
  created_at: '',
  message,
  done: true,
  done_reason: '',
  total_duration: 1,
  load_duration: 1,
  prompt_eval_count: 1,
  prompt_eval_duration: 1,
  eval_count: 1,
  eval_duration: 1,
  logprobs: [{ token: '', logprob: 0, top_logprobs: [{ token: '', logprob: 0 }] }],
}

const simulation = simulatedWire('ollama-chat')
const contexts: readonly AnswerContext[] = [
  { turn: 1, request: { model: 'qwen3', messages: [] } },
  { turn: 2, request: { model: 'qwen3', messages: [], think: false } },
]
const free = freedomOf('ollama-chat')

test('what is emitted has only members and types that the package `ollama` knows, and what identifies a call', () => {
  const emitted = contexts.flatMap((context) =>
    answers.flatMap((answer) => [
      simulation.answerJson(answer, context),
      ...textsOf(simulation.answerStream(answer, context).frames).map((frame) => JSON.parse(frame) as unknown),
    ]),
  )
  const known = typeMapOf([response], { root: 'line', ...free })
  // The server gives both (api/types.go), and the package names neither.
  expect(typesBeyond(typeMapOf(emitted, { root: 'line', ...free }), known)).toEqual([
    { path: 'line.message.tool_calls[].function.index', type: 'number', known: [] },
    { path: 'line.message.tool_calls[].id', type: 'string', known: [] },
  ])
})

/** What the package calls required, as far as the server sends it: the last line has all of it, the others no counts. */
const inEveryLine: readonly (keyof ChatResponse)[] = ['model', 'created_at', 'message', 'done']
const inTheLast: readonly (keyof ChatResponse)[] = [
  ...inEveryLine,
  'done_reason',
  'total_duration',
  'load_duration',
  'prompt_eval_count',
  'prompt_eval_duration',
  'eval_count',
  'eval_duration',
]

test('what the package calls required is there', () => {
  for (const context of contexts) {
    for (const answer of answers) {
      const lines = textsOf(simulation.answerStream(answer, context).frames).map((frame) => JSON.parse(frame) as object)
      for (const line of lines) expect(Object.keys(line)).toEqual(expect.arrayContaining([...inEveryLine]))
      for (const whole of [lines.at(-1)!, simulation.answerJson(answer, context)]) {
        expect(Object.keys(whole).toSorted()).toEqual(inTheLast.toSorted())
      }
    }
  }
})

const options: Required<NonNullable<ChatRequest['options']>> = {
  numa: false,
  num_ctx: 1,
  num_batch: 1,
  num_gpu: 1,
  main_gpu: 1,
  low_vram: false,
  f16_kv: false,
  logits_all: false,
  vocab_only: false,
  use_mmap: false,
  use_mlock: false,
  embedding_only: false,
  num_thread: 1,
  num_keep: 1,
  seed: 1,
  num_predict: 1,
  top_k: 1,
  top_p: 1,
  min_p: 1,
  tfs_z: 1,
  typical_p: 1,
  repeat_last_n: 1,
  temperature: 1,
  repeat_penalty: 1,
  presence_penalty: 1,
  frequency_penalty: 1,
  mirostat: 1,
  mirostat_tau: 1,
  mirostat_eta: 1,
  penalize_newline: false,
  stop: ['END'],
}

test('a request with every member of the published type is accepted', () => {
  const { tool_name: _, tool_calls: __, ...said } = message
  const request: Required<ChatRequest> = {
    model: 'gpt-oss:20b',
    messages: [
      { ...said, content: 'Hi', images: ['iVBORw0KGgo='] },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: '7', tool_name: 'get_weather' },
    ],
    stream: false,
    format: 'json',
    keep_alive: '5m',
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: '',
          parameters: {
            type: 'object',
            $defs: {},
            required: ['city'],
            properties: { city: { type: 'string', items: {}, description: '', enum: ['Zürich'] } },
          },
        },
      },
    ],
    think: 'high',
    logprobs: true,
    top_logprobs: 1,
    options,
  }
  const { format: ___, ...withTools } = request
  const { tools: ____, ...withFormat } = request
  expect(simulation.check(withTools)).toBeUndefined()
  expect(simulation.check(withFormat)).toBeUndefined()
})
