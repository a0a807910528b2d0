import type { Capabilities } from '@steploop/core'

type Limits = Readonly<Partial<Record<keyof Capabilities, string>>>

const storesNothing = 'Chat Completions stores nothing (docs/wire.md#openai-chat-completions)'
const noPause = 'no finish reason asks for the turn to be sent back (docs/wire.md#anthropic-stop-reasons)'
const textResults = 'results are text: https://platform.openai.com/docs/api-reference/chat/create'
const deepseekText = 'messages are text: https://api-docs.deepseek.com/api/create-chat-completion'
const thinkingChoice = 'a forced choice is refused in thinking mode: https://api-docs.deepseek.com/guides/thinking_mode'

const deepseek: Limits = {
  continuation: storesNothing,
  providerTools: 'there are none: https://api-docs.deepseek.com/api/create-chat-completion',
  pause: noPause,
  imageInput: deepseekText,
  fileInput: deepseekText,
  toolResultImages: deepseekText,
  cacheControl: 'caching is automatic: https://api-docs.deepseek.com/guides/kv_cache',
}

const responsesPause = 'the Responses API knows no paused turns (docs/wire.md#responses-how-a-stream-ends)'
const noReasoning = 'GPT 4.1 does not reason: https://platform.openai.com/docs/models/gpt-4.1-mini'

const anthropic: Limits = {
  continuation: 'every request holds the whole conversation: https://docs.claude.com/en/api/messages',
}

const gemini: Limits = {
  continuation: 'generateContent holds the whole conversation: https://ai.google.dev/api/generate-content',
  pause: 'no finish reason asks for the turn to be sent back: https://ai.google.dev/api/generate-content#FinishReason',
  cacheControl:
    'caches are objects with a life of their own, named in `cachedContent`: https://ai.google.dev/gemini-api/docs/caching',
}

/** Why a provider lacks what its adapter does not declare, by subject, each with its source. Reports cite it. */
export const limits = {
  openai: { pause: responsesPause },
  'openai-plain': { pause: responsesPause, reasoning: noReasoning, reasoningReplay: noReasoning },
  'openai-compatible': {
    continuation: storesNothing,
    providerTools:
      'which tools a server runs itself is for its own package to say (docs/wire.md#openai-chat-completions)',
    pause: noPause,
    toolResultImages: textResults,
    cacheControl:
      'Chat Completions has no cache switches in messages: https://platform.openai.com/docs/guides/prompt-caching',
  },
  anthropic,
  gemini,
  'gemini-budget': {
    ...gemini,
    structuredWithTools: 'Gemini 3 and later: https://ai.google.dev/gemini-api/docs/structured-output',
    toolResultImages: 'Gemini 3 and later: https://ai.google.dev/gemini-api/docs/function-calling#multimodal',
  },
  groq: {
    structured: 'structured outputs do not stream: https://console.groq.com/docs/structured-outputs',
    structuredWithTools: 'structured outputs do not go with tools: https://console.groq.com/docs/structured-outputs',
    continuation: 'nothing is stored: https://console.groq.com/docs/api-reference#chat',
    providerTools:
      'of the models with function calls only gpt-oss has built-in tools: https://console.groq.com/docs/tool-use/built-in-tools',
    pause: noPause,
    imageInput: 'the model takes no images: https://console.groq.com/docs/vision lists those that do',
    fileInput: 'images are the only files of messages: https://console.groq.com/docs/vision',
    toolResultImages: 'results are text: https://console.groq.com/docs/tool-use',
    cacheControl: 'caching is automatic: https://console.groq.com/docs/prompt-caching',
  },
  mistral: {
    structuredWithTools:
      'a response format beside tools is refused: https://docs.mistral.ai/capabilities/structured_output',
    continuation:
      'Chat Completions stores nothing, Mistral’s conversations are another API: https://docs.mistral.ai/api',
    pause: noPause,
    toolResultImages: 'results are text: https://docs.mistral.ai/capabilities/function_calling',
    cacheControl: 'no switches in messages, `prompt_cache_key` is an option: https://docs.mistral.ai/api/endpoint/chat',
  },
  deepseek: deepseek,
  'deepseek-reasoner': { ...deepseek, toolChoice: thinkingChoice },
  openrouter: {
    continuation: 'nothing is stored: https://openrouter.ai/docs/api-reference/overview',
    pause: 'the pauses of an upstream are OpenRouter’s matter: https://openrouter.ai/docs/api-reference/overview',
    toolResultImages: 'results are text: https://openrouter.ai/docs/features/tool-calling',
  },
  xai: {
    toolChoice: 'forced choices are not honoured reliably (docs/wire.md#xai)',
    pause: noPause,
    cacheControl: 'caching is automatic: https://docs.x.ai/docs/models',
  },
  'xai-chat': {
    toolChoice: 'forced choices are not honoured reliably (docs/wire.md#xai)',
    continuation: storesNothing,
    providerTools: 'tools that xAI runs belong to the Responses format: https://docs.x.ai/docs/guides/tools/overview',
    pause: noPause,
    fileInput: 'messages take texts and images: https://docs.x.ai/docs/api-reference#chat-completions',
    cacheControl: 'caching is automatic: https://docs.x.ai/docs/models',
  },
  ollama: {
    toolChoice: 'the API has no tool choice: https://docs.ollama.com/api/chat',
    structuredWithTools:
      '`format` binds the output from its first token: https://docs.ollama.com/capabilities/structured-outputs',
    continuation: 'nothing is stored: https://docs.ollama.com/api/chat',
    providerTools: 'the server runs no tools: https://docs.ollama.com/api/chat',
    pause: 'the server pauses no turns: https://docs.ollama.com/api/chat',
    fileInput: 'messages take texts and images: https://docs.ollama.com/api/chat',
    cacheControl: 'the server keeps prompts by itself: https://docs.ollama.com/api/chat',
  },
  cohere: {
    toolChoice: 'a certain tool cannot be demanded: https://docs.cohere.com/reference/chat',
    structuredWithTools: 'a response format beside tools is refused: https://docs.cohere.com/docs/structured-outputs',
    continuation: 'nothing is stored: https://docs.cohere.com/reference/chat',
    providerTools: 'there are none: https://docs.cohere.com/reference/chat',
    pause: 'no finish reason asks for the turn to be sent back: https://docs.cohere.com/reference/chat',
    fileInput: 'messages take texts and images: https://docs.cohere.com/reference/chat',
    toolResultImages: 'results are texts and documents: https://docs.cohere.com/reference/chat',
    cacheControl: 'caching is automatic: https://docs.cohere.com/reference/chat',
  },
  bedrock: {
    toolChoice: 'Converse has no choice of `none` (docs/wire.md#bedrock-converse)',
    continuation:
      'nothing is stored: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
    providerTools:
      'Claude has none there, only Nova has: https://docs.aws.amazon.com/nova/latest/nova2-userguide/tool-use.html',
    pause: 'no stop reason asks for the turn to be sent back (docs/wire.md#bedrock-converse)',
  },
  'bedrock-claude': {
    ...anthropic,
    providerTools: 'Anthropic runs no tools there: https://docs.claude.com/en/api/claude-on-amazon-bedrock',
    pause: 'only tools that Anthropic runs pause a turn (docs/wire.md#anthropic-stop-reasons)',
  },
  vertex: gemini,
  'vertex-claude': anthropic,
  'azure-chat': {
    continuation: storesNothing,
    providerTools: 'tools that run at Azure belong to the Responses format (docs/wire.md#openai-chat-completions)',
    pause: noPause,
    toolResultImages: textResults,
    cacheControl: 'caching is automatic: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching',
  },
  'azure-responses': { pause: responsesPause },
} satisfies Readonly<Record<string, Limits>>
