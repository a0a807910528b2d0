import { toUiMessageStream } from '@steploop/chat'
import { toServerSentEvents, type LoopEvent } from '@steploop/core'
import { median } from './measure.ts'

const deltas = 10_000
const rounds = 25

/** A run that says ten thousand words, in ticks of so many. */
async function* run(perTick: number): AsyncGenerator<LoopEvent> {
  yield { type: 'run-start' }
  yield { type: 'step-start', step: 0 }
  yield { type: 'text-start', part: 0 }
  for (let count = 0; count < deltas; count++) {
    if (count % perTick === 0) await new Promise((resolve) => setImmediate(resolve))
    yield { type: 'text-delta', part: 0, text: 'some words ' }
  }
  yield { type: 'text-end', part: 0 }
}

async function cpuOf(body: ReadableStream<Uint8Array>): Promise<{ readonly ms: number; readonly writes: number }> {
  const before = process.cpuUsage()
  let writes = 0
  for await (const bytes of body) writes += Math.sign(bytes.length)
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, writes }
}

// What encoding ten thousand deltas costs, next to `toServerSentEvents`; rounds are interleaved, and the first ones warm up.
for (const perTick of [1, 10, 100]) {
  const samples: { ratio: number[]; chat: number[]; plain: number[] } = { ratio: [], chat: [], plain: [] }
  let writes = 0
  for (let round = -5; round < rounds; round++) {
    const plain = await cpuOf(toServerSentEvents(run(perTick)))
    const chat = await cpuOf(toUiMessageStream(run(perTick)))
    if (round < 0) continue
    samples.plain.push(plain.ms)
    samples.chat.push(chat.ms)
    samples.ratio.push(chat.ms / plain.ms)
    writes = chat.writes
  }
  const [plain, chat, ratio] = [median(samples.plain), median(samples.chat), median(samples.ratio)]
  console.log(
    `${perTick} deltas a tick: ${chat.toFixed(1)} ms of CPU in ${writes} writes, toServerSentEvents ${plain.toFixed(1)} ms: ${ratio.toFixed(2)}x`,
  )
}
