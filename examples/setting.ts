import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cassetteFetch } from '@steploop/cassette/fetch'
import type { Subject } from '@steploop/conformance'
import { startSimulator } from '@steploop/conformance/simulator'
import { StepLoopError, type Adapter } from '@steploop/core'
import config from '../steploop.config.ts'
import type { Example, Take } from './example.ts'

/** The provider of the cassettes. */
export const defaultProvider = 'anthropic'

export type Source = 'cassette' | 'simulator' | 'live'

/** What an example runs on. */
export interface Setting {
  readonly model: Adapter
  readonly other: Adapter
  /** For the person: where the answers come from. */
  readonly description: string
  close(): Promise<void>
}

export interface SettingOptions {
  readonly example: Example
  readonly source: Source
  readonly provider: string
  /** Take that the simulator plays. */
  readonly take: Take
}

/** Without a key nothing leaves the machine: cassettes for the default provider, the simulator of the wire format for the others. */
export async function openSetting(options: SettingOptions): Promise<Setting> {
  const [model, other] = [subjectOf(options.provider), subjectOf(otherProvider(options.provider))]
  switch (options.source) {
    case 'cassette':
      return replaying(options.example, model, other)
    case 'simulator':
      return simulated(options.take, model, other)
    case 'live':
      return live(model, other, options.example)
    default:
      return options.source satisfies never
  }
}

export function providers(): readonly string[] {
  return config.subjects.map(({ name }) => name)
}

export function otherProvider(provider: string): string {
  return provider === 'openai' ? defaultProvider : 'openai'
}

export function subjectOf(name: string): Subject {
  const subject = config.subjects.find((one) => one.name === name)
  if (subject !== undefined) return subject
  throw new StepLoopError('usage', `There is no provider '${name}'. There are: ${providers().join(', ')}.`)
}

/** `<example>.yaml` for the default provider, `<example>.<provider>.yaml` for the other one of an example with two. */
export function cassettePath(example: Example, subject: Subject): string {
  const suffix = subject.name === defaultProvider ? '' : `.${subject.name}`
  return fileURLToPath(new URL(`../cassettes/examples/${example.name}${suffix}.yaml`, import.meta.url))
}

/** A key that opens nothing, for servers that only look whether there is one. */
export const placeholderKey = 'example-key'

function replaying(example: Example, model: Subject, other: Subject): Setting {
  const path = cassettePath(example, model)
  if (!existsSync(path)) {
    throw new StepLoopError(
      'usage',
      `There is no cassette of '${example.name}'. Record it: pnpm example ${example.name} --record`,
    )
  }
  return {
    model: adapterOf(model, replayAgain(path)),
    other: adapterOf(other, replayAgain(cassettePath(example, other))),
    description: `answers come from cassettes/examples/${example.name}.yaml, which was recorded from a simulator`,
    close: async () => undefined,
  }
}

/** From the cassette; from its start again when it does not go on with this request, so that a server can answer more than once. */
function replayAgain(path: string): typeof fetch {
  let replay: typeof fetch | undefined
  return async (input, init) => {
    const first = replay === undefined
    replay ??= cassetteFetch(path)
    try {
      return await replay(input, init)
    } catch (error) {
      if (first) throw error
      replay = cassetteFetch(path)
      return replay(input, init)
    }
  }
}

async function simulated(take: Take, model: Subject, other: Subject): Promise<Setting> {
  const answers = await startSimulator({
    wire: model.wire,
    baseURL: model.baseURL,
    script: [...take.model, ...take.model.slice(-1)],
  })
  const others = await startSimulator({ wire: other.wire, baseURL: other.baseURL, script: take.other ?? [] })
  return {
    model: adapterOf(model, redirected(model.baseURL, answers.url)),
    other: adapterOf(other, redirected(other.baseURL, others.url)),
    description: `answers come from a simulator of ${model.name}, in this process`,
    close: async () => void (await Promise.all([answers.close(), others.close()])),
  }
}

function redirected(from: string, to: string): typeof fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return fetch(to + url.slice(from.length), init)
  }
}

export function adapterOf(subject: Subject, fetch: typeof globalThis.fetch): Adapter {
  return subject.adapter({ apiKey: placeholderKey, fetch })
}

function live(model: Subject, other: Subject, example: Example): Setting {
  const needed = example.takes.some((take) => take.other !== undefined) ? [model, other] : [model]
  for (const { name, apiKeyVariable, baseURL } of needed) {
    if (apiKeyVariable === undefined || process.env[apiKeyVariable]) continue
    throw new StepLoopError(
      'usage',
      `${apiKeyVariable} is not set, and --live asks ${baseURL} for ${name}. Set it, or leave --live out.`,
    )
  }
  return {
    model: model.adapter({}),
    other: other.adapter({}),
    description: `live: ${model.model} at ${model.baseURL}`,
    close: async () => undefined,
  }
}
