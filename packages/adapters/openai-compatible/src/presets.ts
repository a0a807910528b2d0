import { StepLoopError, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import type { ChatDialect } from './dialect.ts'
import { llamaCpp } from './llama-cpp.ts'
import { createOpenAICompatible } from './options.ts'

/** What is known of a server that has no package of its own. */
interface Preset {
  /** Absent: everybody has an address of their own, which `baseURL` gives. */
  readonly baseURL?: string | undefined
  readonly apiKeyVariable: string
  readonly dialect?: ChatDialect | undefined
  /** Servers of one's own, most of which ask for no key. */
  readonly apiKeyOptional?: boolean | undefined
}

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server/ */
const vllm: ChatDialect = { settings: { topK: 'top_k' } }

const presets = {
  /** https://docs.perplexity.ai/api-reference: no tools, sources beside the choices. */
  perplexity: {
    baseURL: 'https://api.perplexity.ai',
    apiKeyVariable: 'PERPLEXITY_API_KEY',
    dialect: { settings: { topK: 'top_k', parallelToolCalls: false, seed: false } },
  },
  /** https://docs.together.ai/reference/chat-completions */
  together: {
    baseURL: 'https://api.together.xyz/v1',
    apiKeyVariable: 'TOGETHER_API_KEY',
    dialect: { settings: { topK: 'top_k', parallelToolCalls: false } },
  },
  /** https://docs.venice.ai/api-reference: members of its own stand in `venice_parameters`. */
  venice: {
    baseURL: 'https://api.venice.ai/api/v1',
    apiKeyVariable: 'VENICE_API_KEY',
    dialect: { settings: { topK: 'top_k' } },
  },
  /** https://vercel.com/docs/ai-gateway/openai-compat: reasoning as at OpenRouter. */
  'vercel-ai-gateway': {
    baseURL: 'https://ai-gateway.vercel.sh/v1',
    apiKeyVariable: 'AI_GATEWAY_API_KEY',
    dialect: {
      reasoning: (effort) => ({ reasoning: { effort } }),
      editedReasoning: 'reasoning',
    },
  },
  /** https://huggingface.co/docs/inference-providers: the model may name the provider that runs it (`model:provider`). */
  'hugging-face': { baseURL: 'https://router.huggingface.co/v1', apiKeyVariable: 'HF_TOKEN' },
  /** https://docs.gpustack.ai: in front of vLLM and llama.cpp. */
  gpustack: { apiKeyVariable: 'GPUSTACK_API_KEY', dialect: vllm, apiKeyOptional: true },
  /** https://github.com/ggml-org/llama.cpp/tree/master/tools/server */
  'llama.cpp': {
    baseURL: 'http://localhost:8080/v1',
    apiKeyVariable: 'LLAMA_API_KEY',
    dialect: llamaCpp,
    apiKeyOptional: true,
  },
  vllm: {
    baseURL: 'http://localhost:8000/v1',
    apiKeyVariable: 'VLLM_API_KEY',
    dialect: vllm,
    apiKeyOptional: true,
  },
  /** https://lmstudio.ai/docs/developer/openai-compat: llama.cpp below, and its grammar with it. */
  'lm-studio': {
    baseURL: 'http://localhost:1234/v1',
    apiKeyVariable: 'LM_API_TOKEN',
    dialect: llamaCpp,
    apiKeyOptional: true,
  },
  /** The key is a token of GitHub Copilot; callers say with `headers` what they integrate with (`Copilot-Integration-Id`). */
  copilot: { baseURL: 'https://api.githubcopilot.com', apiKeyVariable: 'GITHUB_COPILOT_TOKEN' },
  /** `https://<workspace>/serving-endpoints`; the model is the name of an endpoint. https://docs.databricks.com/machine-learning/foundation-model-apis */
  databricks: { apiKeyVariable: 'DATABRICKS_TOKEN', dialect: { settings: { parallelToolCalls: false } } },
} satisfies Readonly<Record<string, Preset>>

/** Servers that are known here and have no package of their own. */
export type PresetName = keyof typeof presets

/**
 * A factory for a known server: `openaiCompatible('together')('meta-llama/Llama-3.3-70B-Instruct-Turbo')`. The preset gives base URL, variable
 * of the key and what the server does in its own way; options win. `provider` is the name of the preset.
 *
 * @throws StepLoopError `invalid-options` for a name that is none, and without `baseURL` for `databricks` and `gpustack`
 */
export function openaiCompatible(name: PresetName, options: ProviderOptions = {}): (modelId: string) => Adapter {
  const preset: Preset | undefined = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (preset === undefined) {
    throw new StepLoopError('invalid-options', `'${name}' is no preset. There are: ${Object.keys(presets).join(', ')}.`)
  }
  const baseURL = options.baseURL ?? preset.baseURL
  if (baseURL === undefined) {
    throw new StepLoopError(
      'invalid-options',
      `'${name}' has no address that is the same for all; give it as \`baseURL\`.`,
    )
  }
  return createOpenAICompatible({ ...preset, ...options, name, baseURL })
}
