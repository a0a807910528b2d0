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
import { startServer, type ServerKind } from './server-kind.ts'

export interface AtOnceOutcome {
  /** Name of the server. */
  readonly server: string
  readonly tried: number
  readonly broken: readonly string[]
}

/** Many runs on a server with two slots: none may get what belongs to another. */
export async function runAtOnce(kind: ServerKind, guests: readonly Guest[], runs: number): Promise<AtOnceOutcome> {
  const server = await startServer(kind, { weights: labModel() })
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
      const wrong = trials.filter(({ result, ran }) => result?.text !== answerToCalls || ran.length !== 2)
      const words = wrong.map(
        ({ result, error, ran }) => `${result?.text ?? errorWords(error)}, ${ran.length} of 2 calls ran`,
      )
      broken.push(...words.map((text) => `${guestName(guest)}: ${text}`))
    }
    return { server: kind.name, tried: guests.length * runs, broken }
  } finally {
    await server.kill()
  }
}
