import { createAnthropic } from '@steploop/anthropic'
import { defineSubject, type Subject } from '@steploop/conformance'
import { createGemini } from '@steploop/gemini'
import { createOpenAI } from '@steploop/openai'
import { limits } from './limits.config.ts'

/** What models of one provider differ in: what of reasoning, settings and schemas they take. */
const scenarios = [
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

const cassettes = (subject: string): URL => new URL(`cassettes/${subject}/`, import.meta.url)

/** Models that take other requests than the one which is tested whole. */
export function otherModels({
  openai,
  anthropic,
  gemini,
}: Readonly<Record<'openai' | 'anthropic' | 'gemini', Subject>>): readonly Subject[] {
  return [
    // It does not reason, so it takes a temperature.
    defineSubject({
      ...openai,
      name: 'openai-plain',
      model: 'gpt-4.1-mini',
      adapter: ({ model = 'gpt-4.1-mini', ...options }) => createOpenAI(options)(model),
      cassettes: cassettes('openai-plain'),
      limits: limits['openai-plain'],
      scenarios,
    }),
    // It steers its thoughts by effort, and takes no temperature.
    defineSubject({
      ...anthropic,
      name: 'anthropic-adaptive',
      model: 'claude-opus-4-8',
      adapter: ({ model = 'claude-opus-4-8', ...options }) => createAnthropic(options)(model),
      cassettes: cassettes('anthropic-adaptive'),
      scenarios,
    }),
    // It thinks by a budget that cannot be nothing, and takes no schema beside tools.
    defineSubject({
      ...gemini,
      name: 'gemini-budget',
      model: 'gemini-2.5-pro',
      adapter: ({ model = 'gemini-2.5-pro', ...options }) => createGemini(options)(model),
      cassettes: cassettes('gemini-budget'),
      limits: limits['gemini-budget'],
      scenarios,
    }),
  ]
}

/** Models whose requests differ, by subject. */
export const requestModels: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-4.1-mini', 'gpt-5', 'o3'],
  anthropic: ['claude-opus-4-8', 'claude-3-5-haiku-latest', 'claude-opus-4-1'],
  gemini: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.0-flash'],
  groq: ['openai/gpt-oss-120b', 'llama-3.3-70b-versatile', 'groq/compound', 'meta-llama/llama-4-scout'],
  mistral: ['magistral-medium-latest'],
  xai: ['grok-3', 'grok-3-mini', 'grok-4.3', 'grok-4-fast-non-reasoning'],
  'xai-chat': ['grok-3', 'grok-4', 'grok-4.3'],
  ollama: ['gpt-oss:20b'],
  bedrock: [
    'amazon.nova-lite-v1:0',
    'openai.gpt-oss-20b-1:0',
    'mistral.mistral-large-2402-v1:0',
    'us.anthropic.claude-opus-4-8',
  ],
}
