/** Where a provider is usually reached, for recordings without a URL and for gateways that name it in the path. */
const bases: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'google-vertex': 'https://aiplatform.googleapis.com/v1',
  groq: 'https://api.groq.com/openai/v1',
  mistral: 'https://api.mistral.ai/v1',
  xai: 'https://api.x.ai/v1',
  deepseek: 'https://api.deepseek.com',
  openrouter: 'https://openrouter.ai/api/v1',
  perplexity: 'https://api.perplexity.ai',
  alibaba: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  moonshotai: 'https://api.moonshot.ai/v1',
  azure: 'https://openai.azure.com/openai',
  ollama: 'http://localhost:11434',
  bedrock: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  cohere: 'https://api.cohere.com/v2',
}

/** Base URL of a provider; `undefined` for a provider that is not known. */
export function usualBase(provider: string | undefined): string | undefined {
  return provider !== undefined && Object.hasOwn(bases, provider) ? bases[provider] : undefined
}
