import type { Contestant } from './contestant.ts'

/** Loaded one by one, so that no process holds the code of another contestant. The floor comes first: the others are compared with it. */
export const contestants: readonly { readonly name: string; readonly load: () => Promise<Contestant> }[] = [
  { name: 'floor', load: async () => (await import('./floor.ts')).floor },
  { name: 'steploop', load: async () => (await import('./steploop.ts')).steploop },
  { name: 'openai runTools', load: async () => (await import('./openai-run-tools.ts')).openaiRunTools },
  { name: 'ai + openai-compatible', load: async () => (await import('./ai-sdk.ts')).aiSdk },
  { name: '@openai/agents', load: async () => (await import('./openai-agents.ts')).openaiAgents },
  { name: 'langchain createAgent', load: async () => (await import('./langchain.ts')).langchain },
  { name: '@tanstack/ai', load: async () => (await import('./tanstack-ai.ts')).tanstackAi },
]
