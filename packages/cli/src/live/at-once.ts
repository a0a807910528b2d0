import {
  answerToCalls,
  baseURLAt,
  errorWords,
  guestName,
  labModel,
  labTools,
  prompts,
  tryRun,
  type Guest,
} from './lab.ts'
import { startLlamaServer, type LlamaProgram } from './llama-server.ts'

export interface AtOnceOutcome {
  readonly tried: number
  readonly broken: readonly string[]
}

/** Many runs on a server with two slots: none may get what belongs to another. */
export async function runAtOnce(program: LlamaProgram, guests: readonly Guest[], runs: number): Promise<AtOnceOutcome> {
  const server = await startLlamaServer({ program, weights: labModel() })
  try {
    const broken: string[] = []
    for (const guest of guests) {
      const { subject, mode } = guest
      const trials = await Promise.all(
        Array.from({ length: runs }, async () => {
          const { tools, ran } = labTools()
          const model = subject.adapter({ baseURL: baseURLAt(server.url, subject), apiKey: 'none' })
          return { ran, ...(await tryRun({ model, mode, prompt: prompts.calls, tools })) }
        }),
      )
      for (const { result, error, ran } of trials) {
        if (result?.text === answerToCalls && ran.length === 2) continue
        broken.push(`${guestName(guest)}: ${result?.text ?? errorWords(error)}, ${ran.length} of 2 calls ran`)
      }
    }
    return { tried: guests.length * runs, broken }
  } finally {
    await server.kill()
  }
}
