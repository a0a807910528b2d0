import {
  defineHttpAdapter,
  StepLoopError,
  type Adapter,
  type Capabilities,
  type ProviderOptions,
} from '@steploop/core/adapter'
import { chatCapabilities } from './capabilities.ts'
import type { ChatDialect } from './dialect.ts'
import { chatCompletions } from './wire.ts'

export interface OpenAICompatibleOptions extends ProviderOptions {
  /** Address of the API, up to and without `/chat/completions`, for example `https://chat.example.com/v1`. */
  readonly baseURL: string
  /** `Adapter.provider`, and so the key of `providerOptions`. Give each server a name of its own. Default `openai-compatible`. */
  readonly name?: string | undefined
  /** Environment variable that holds the key when `apiKey` is not given. Default: none is read. */
  readonly apiKeyVariable?: string | undefined
  /** True: requests without a key are legal. Default: only for a server on this machine (`localhost`, `127.0.0.1`, `[::1]`). */
  readonly apiKeyOptional?: boolean | undefined
  /** How the server deviates from Chat Completions. Default: not at all. */
  readonly dialect?: ChatDialect | undefined
  /** What the server can do, where that differs from what the dialect says. */
  readonly capabilities?: Capabilities | undefined
}

/**
 * Makes a factory of adapters for a server that speaks Chat Completions.
 *
 * @throws StepLoopError `invalid-options` when `baseURL` is no absolute http(s) URL
 */
export function createOpenAICompatible(options: OpenAICompatibleOptions): (modelId: string) => Adapter {
  const { name: provider = 'openai-compatible', dialect, capabilities: given, ...http } = options
  const apiKeyOptional = http.apiKeyOptional ?? localHosts.has(hostOf(http.baseURL))
  const capabilities = { ...chatCapabilities(dialect), ...given }
  return (model) =>
    defineHttpAdapter(chatCompletions({ provider, model, dialect }), {
      ...http,
      apiKeyOptional,
      provider,
      model,
      capabilities,
    })
}

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function hostOf(baseURL: string): string {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.hostname
  const message = `baseURL '${baseURL}' is no http(s) URL; give one, as https://chat.example.com/v1`
  throw new StepLoopError('invalid-options', message)
}
