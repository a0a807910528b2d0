import { defineSubject, type Subject, type SubjectAdapterOptions } from '@steploop/conformance'
import type { Adapter } from '@steploop/core'

type Given = Omit<Subject, 'adapter' | 'cassettes' | 'package'> & {
  /** The factory of the package; it never gets a model. */
  readonly create: (options: Omit<SubjectAdapterOptions, 'model'>) => (model: string) => Adapter
  /** Folder of the package. Default: the name. */
  readonly folder?: string | undefined
}

/** What all have in common: where the cassettes and the package lie, and that the subject's model is asked unless another one is named. */
export function subjectOf({ create, folder, ...given }: Given): Subject {
  return defineSubject({
    ...given,
    adapter: ({ model = given.model, ...options }) => create(options)(model),
    cassettes: new URL(`../cassettes/${given.name}/`, import.meta.url),
    package: new URL(`../packages/adapters/${folder ?? given.name}/`, import.meta.url),
  })
}

/** What models of one provider differ in: what of reasoning, settings and schemas they take. */
export const modelScenarios = [
  'text-only',
  'parallel-calls',
  'instructions-and-settings',
  'reasoning-text',
  'reasoning-replay',
  'structured',
  'structured-with-tools',
  'structured-apart',
  'structured-in-words',
  'tool-choice-required',
]

/** Texts for `noWordsFor`. */
export const namesNoPause = { 'rate-limited#waits': 'A refusal for too many requests does not say when to come back.' }
export const namesNoModel = { 'unknown-model': 'An unknown model is a plain 400 there, without a code that says so.' }
export const namesNoError = {
  'error-mid-stream': 'Its errors name their kind by the status alone, and 200 says nothing.',
}

/** Reasons in `limits` that several packages share. */
export const storesNothing = 'Chat Completions stores nothing (docs/wire.md#openai-chat-completions)'
export const noPause = 'no finish reason asks for the turn to be sent back (docs/wire.md#anthropic-stop-reasons)'

/** Azure differs in its address, and in little else. */
export const azure = {
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: ['text-only', 'single-call', 'parallel-calls', 'azure-dialect'],
}
