/** One run of a workload: a conversation from the first request to the last answer. */
export interface Contestant {
  readonly name: string
  /** Made once per run, as an application would. `maxSteps` is enough for the workload. */
  run(options: RunOptions): Promise<void>
}

export interface RunOptions {
  readonly fetch: typeof fetch
  readonly stream: boolean
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
