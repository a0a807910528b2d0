/** Chat Completions answers for the benchmarks, made once: the bytes that every contestant gets. */

export interface Workload {
  readonly id: string
  readonly title: string
  readonly stream: boolean
  /** The answers of one run, in order; each is a list of network chunks. */
  readonly answers: readonly (readonly Uint8Array[])[]
  /** Runs at the same time. */
  readonly concurrency: number
}

const encoder = new TextEncoder()

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

/** `id` is another in each answer: LangChain takes two messages of one id for two states of one message. */
function whole(id: string, message: unknown, finish: string): readonly Uint8Array[] {
  const body = { id: `chatcmpl-${id}`, object: 'chat.completion', created: 1, model: 'bench-1', usage }
  return [encoder.encode(JSON.stringify({ ...body, choices: [{ index: 0, message, finish_reason: finish }] }))]
}

function call(id: string, city: string): unknown {
  return { id, type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city }) } }
}

function callAnswer(turn: number, calls: number): readonly Uint8Array[] {
  const toolCalls = Array.from({ length: calls }, (_, index) => call(`call_${turn}_${index}`, `City ${turn} ${index}`))
  return whole(String(turn), { role: 'assistant', content: null, tool_calls: toolCalls }, 'tool_calls')
}

function textAnswer(): readonly Uint8Array[] {
  return whole('end', { role: 'assistant', content: 'It is mild everywhere.' }, 'stop')
}

function event(delta: unknown, finish: string | null = null, id = 'chatcmpl-1'): string {
  const head = { id, object: 'chat.completion.chunk', created: 1, model: 'bench-1' }
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

/** `perChunk` events in each network chunk. */
function streamed(events: readonly string[], perChunk: number): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let start = 0; start < events.length; start += perChunk) {
    chunks.push(encoder.encode(events.slice(start, start + perChunk).join('')))
  }
  return chunks
}

const done = ['data: [DONE]\n\n']

function deltas(count: number, perChunk: number): readonly Uint8Array[] {
  const words = Array.from({ length: count }, (_, index) => event({ content: `word${index % 10} ` }))
  return streamed([event({ role: 'assistant', content: '' }), ...words, event({}, 'stop'), ...done], perChunk)
}

function fragments(calls: number, pieces: number): readonly Uint8Array[] {
  const events: string[] = []
  for (let index = 0; index < calls; index++) {
    const start = {
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"' },
    }
    events.push(event({ tool_calls: [start] }))
    for (let piece = 0; piece < pieces; piece++) {
      events.push(event({ tool_calls: [{ index, function: { arguments: 'ab' } }] }))
    }
    events.push(event({ tool_calls: [{ index, function: { arguments: '"}' } }] }))
  }
  return streamed([event({ role: 'assistant', content: '' }), ...events, event({}, 'tool_calls'), ...done], 1)
}

const steps = (count: number): readonly (readonly Uint8Array[])[] => [
  ...Array.from({ length: count }, (_, turn) => callAnswer(turn, 1)),
  textAnswer(),
]
const streamedEnd = streamed([event({ role: 'assistant', content: 'Done.' }), event({}, 'stop'), ...done], 1)

/** Streamed turns of one call each, then an answer: for the time between a last byte and the next request. */
export function streamedSteps(count: number): readonly (readonly Uint8Array[])[] {
  const turn = (index: number): readonly Uint8Array[] => {
    const start = { index: 0, id: `call_${index}`, type: 'function', function: { name: 'weather', arguments: '' } }
    const rest = { index: 0, function: { arguments: JSON.stringify({ city: `City ${index}` }) } }
    const events = [
      event({ role: 'assistant', content: null, tool_calls: [start] }),
      event({ tool_calls: [rest] }),
      event({}, 'tool_calls'),
      ...done,
    ]
    return streamed(events, 1)
  }
  return [...Array.from({ length: count }, (_, index) => turn(index)), streamedEnd]
}

/** The workloads of the published figures: names and sizes as in the comparison with peers. */
export const workloads: readonly Workload[] = [
  { id: 'W1', title: 'single turn', stream: false, answers: [textAnswer()], concurrency: 1 },
  { id: 'W2', title: '10-step tool loop', stream: false, answers: steps(10), concurrency: 1 },
  { id: 'W3', title: '100-step tool loop', stream: false, answers: steps(100), concurrency: 1 },
  { id: 'W4', title: '32 parallel calls', stream: false, answers: [callAnswer(0, 32), textAnswer()], concurrency: 1 },
  { id: 'W5', title: '10,000 deltas, 1 event per chunk', stream: true, answers: [deltas(10_000, 1)], concurrency: 1 },
  { id: 'W5c', title: '10,000 deltas, 64 per chunk', stream: true, answers: [deltas(10_000, 64)], concurrency: 1 },
  {
    id: 'W6',
    title: '8 streamed calls of 500 fragments',
    stream: true,
    answers: [fragments(8, 500), streamedEnd],
    concurrency: 1,
  },
  { id: 'W7', title: '64 loops of 10 steps at once', stream: false, answers: steps(10), concurrency: 64 },
]

interface WholeAnswer {
  readonly id: string
  readonly choices: readonly [
    { readonly message: { readonly tool_calls?: readonly object[] }; readonly finish_reason: string },
  ]
}

/** Answers of a workload for whoever asks for streams alone, each in three events. */
export function streamedForm(workload: Workload): Workload {
  if (workload.stream) return workload
  const answers = workload.answers.map((chunks) => {
    const { id, choices } = JSON.parse(Buffer.concat(chunks).toString()) as WholeAnswer
    const { message, finish_reason: finish } = choices[0]
    const calls = message.tool_calls?.map((toolCall, index) => ({ index, ...toolCall }))
    return streamed(
      [event({ ...message, ...(calls && { tool_calls: calls }) }, null, id), event({}, finish, id), ...done],
      3,
    )
  })
  return { ...workload, id: `${workload.id}-streamed`, stream: true, answers }
}
