import { createAnthropic } from '@steploop/anthropic'
import { defineSubject, type Subject } from '@steploop/conformance'
import { createOllama } from '@steploop/ollama'
import { createOpenAI } from '@steploop/openai'
import { createOpenAICompatible, llamaCpp } from '@steploop/openai-compatible'

const cassettes = (name: string): URL => new URL(`cassettes/${name}/`, import.meta.url)
const baseURL = 'http://127.0.0.1:8080/v1'
const lemonadeURL = 'http://127.0.0.1:13305'
const model = 'local'

const grammar =
  'llama-server binds calls to a grammar of the offered tools and their schemas: https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md'
const noEyes =
  'no image: the weights have no projector (`--mmproj`): https://github.com/ggml-org/llama.cpp/blob/master/docs/multimodal.md'
const countsAsOne = 'llama-server counts thoughts and answer as one'

/** What these servers cannot be made to show, whatever the weights say. */
const limits = {
  'invalid-arguments': grammar,
  'unknown-tool': grammar,
  'image-input': noEyes,
  'image-alone': noEyes,
  'image-in-result': noEyes,
  'reasoning-text#reasoning-tokens': countsAsOne,
}
const sortsProperties =
  'Lemonade sorts the properties of schemas, and llama-server’s grammar then wants arguments in that order'
const noFiles = 'llama-server takes no files'

const llamaChat = defineSubject({
  name: 'llama-chat',
  shownElsewhere: ['structured', 'imageInput', 'fileInput'],
  wire: 'openai-chat',
  model,
  baseURL,
  adapter: (options) =>
    createOpenAICompatible({ name: 'llama-cpp', dialect: llamaCpp, ...options, baseURL: options.baseURL ?? baseURL })(
      options.model ?? model,
    ),
  cassettes: cassettes('llama-chat'),
  noWordsFor: {
    ...limits,
    'file-input': noFiles,
    'structured-in-words': 'the grammar of `response_format` allows no words beside the object',
  },
})

const llamaResponses = defineSubject({
  name: 'llama-responses',
  shownElsewhere: ['imageInput', 'fileInput', 'toolResultImages'],
  wire: 'openai-responses',
  model,
  baseURL,
  adapter: (options) =>
    createOpenAI({ assistantText: 'output_text', ...options, baseURL: options.baseURL ?? baseURL })(
      options.model ?? model,
      {
        reasoning: true,
      },
    ),
  cassettes: cassettes('llama-responses'),
  noWordsFor: {
    ...limits,
    'file-input': noFiles,
    'length-limit': 'llama-server calls an answer `completed` that its limit cut',
  },
})

const llamaMessages = defineSubject({
  name: 'llama-messages',
  shownElsewhere: ['imageInput', 'toolResultImages'],
  wire: 'anthropic-messages',
  model,
  baseURL,
  adapter: (options) =>
    createAnthropic({ unsignedThinking: 'keep', ...options, baseURL: options.baseURL ?? baseURL })(
      options.model ?? model,
    ),
  cassettes: cassettes('llama-messages'),
  noWordsFor: {
    ...limits,
    'reasoning-replay#hand-over':
      'the simulator of Messages refuses unsigned thoughts, as Anthropic does; this server signs nothing and takes them',
  },
})

const lemonadeOllama = defineSubject({
  name: 'lemonade-ollama',
  shownElsewhere: ['imageInput', 'toolResultImages'],
  wire: 'ollama-chat',
  model,
  baseURL: lemonadeURL,
  adapter: (options) => createOllama({ ...options, baseURL: options.baseURL ?? lemonadeURL })(options.model ?? model),
  cassettes: cassettes('lemonade-ollama'),
  noWordsFor: {
    ...limits,
    'nested-arguments': sortsProperties,
    'tool-declarations': sortsProperties,
    '*#usage-adds-up': 'Lemonade counts the tokens of streams without calls as 0',
  },
})

/** Servers that others wrote, on this machine: `pnpm live` records them, `pnpm conformance:local` replays what it wrote. */
export const subjects: readonly Subject[] = [llamaChat, llamaResponses, llamaMessages, lemonadeOllama]

export default { subjects }
