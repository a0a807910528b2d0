/** What an application makes once, at its start: the client or model, the tools, the loop. */
export interface Contestant {
  /** The loop asks for a stream where the workload has none, and gets the same answers as one. */
  readonly alwaysStreams?: boolean | undefined
  /** Gives the function that is measured: one run, from the prompt to the last answer. Runs of one program come one after the other. */
  prepare(options: PrepareOptions): () => Promise<void>
}

export interface PrepareOptions {
  readonly fetch: typeof fetch
  readonly stream: boolean
  /** Enough for the workload. */
  readonly maxSteps: number
}

export const baseURL = 'https://chat.example.com/v1'
export const prompt = 'Weather?'
export const description = 'Weather of a city'
export const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const

export async function weather(city: string): Promise<{ city: string; degrees: number }> {
  return { city, degrees: city.length }
}
