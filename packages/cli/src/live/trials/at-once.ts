import {
  answerToCalls,
  baseURLAt,
  errorWords,
  candidateName,
  trialWeights,
  trialTools,
  prompts,
  tryRun,
  type Candidate,
} from './trial.ts'
import { startServer, type ServerKind } from '../servers/server-kind.ts'

export interface AtOnceOutcome {
  /** Name of the server. */
  readonly server: string
  readonly tried: number
  readonly broken: readonly string[]
}

/** Many runs on a server with two slots: none may get what belongs to another. */
export async function runAtOnce(
  kind: ServerKind,
  candidates: readonly Candidate[],
  runs: number,
): Promise<AtOnceOutcome> {
  const server = await startServer(kind, { weights: trialWeights() })
  try {
    const broken: string[] = []
    for (const candidate of candidates) {
      const { subject, mode } = candidate
      const trials = await Promise.all(
        Array.from({ length: runs }, async () => {
          const { tools, ran } = trialTools()
          const model = subject.adapter({ baseURL: baseURLAt(server.url, subject), apiKey: 'none' })
          return { ran, ...(await tryRun({ model, mode, prompt: prompts.calls, tools })) }
        }),
      )
      const wrong = trials.filter(({ result, ran }) => result?.text !== answerToCalls || ran.length !== 2)
      const words = wrong.map(
        ({ result, error, ran }) => `${result?.text ?? errorWords(error)}, ${ran.length} of 2 calls ran`,
      )
      broken.push(...words.map((text) => `${candidateName(candidate)}: ${text}`))
    }
    return { server: kind.name, tried: candidates.length * runs, broken }
  } finally {
    await server.kill()
  }
}
