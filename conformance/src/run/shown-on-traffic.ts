/**
 * Scenarios that recorded conversations of real providers show too, with the wire formats in which they do: what
 * `steploop conformance --recorded` says of the sets that docs/traffic.md describes.
 */
export const shownOnTraffic: Readonly<Record<string, readonly string[]>> = {
  branch: ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  continuation: ['openai-responses'],
  'file-input': ['openai-chat'],
  'five-turn': ['gemini-generate', 'openai-chat', 'openai-responses'],
  'image-in-result': ['anthropic-messages'],
  'image-input': ['anthropic-messages', 'openai-chat', 'openai-responses'],
  'instructions-and-settings': [
    'anthropic-messages',
    'gemini-generate',
    'ollama-chat',
    'openai-chat',
    'openai-responses',
  ],
  'nested-arguments': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'no-arguments': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'no-tools': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'parallel-calls': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'parallel-same-tool': ['anthropic-messages', 'gemini-generate', 'ollama-chat', 'openai-chat', 'openai-responses'],
  'pause-turn': ['anthropic-messages', 'openai-chat'],
  'prompt-cache': ['anthropic-messages', 'openai-chat'],
  'provider-tool': ['anthropic-messages', 'gemini-generate', 'openai-responses'],
  'reasoning-replay': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'reasoning-text': ['anthropic-messages', 'gemini-generate', 'ollama-chat', 'openai-chat', 'openai-responses'],
  'repeated-call': ['anthropic-messages', 'ollama-chat', 'openai-chat', 'openai-responses'],
  'single-call': ['anthropic-messages', 'gemini-generate', 'ollama-chat', 'openai-chat', 'openai-responses'],
  structured: ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'structured-with-tools': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'text-only': ['anthropic-messages', 'gemini-generate', 'ollama-chat', 'openai-chat', 'openai-responses'],
  'text-then-call': ['anthropic-messages', 'ollama-chat', 'openai-chat', 'openai-responses'],
  'three-turn': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'tool-choice': ['anthropic-messages', 'gemini-generate', 'openai-chat', 'openai-responses'],
  'tool-output-only': ['openai-responses'],
  'unknown-tool': ['openai-responses'],
}
