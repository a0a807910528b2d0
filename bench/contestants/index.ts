import { aiSdk } from './ai-sdk.ts'
import type { Contestant } from './contestant.ts'
import { floor } from './floor.ts'
import { langchain } from './langchain.ts'
import { openaiAgents } from './openai-agents.ts'
import { openaiRunTools } from './openai-run-tools.ts'
import { steploop } from './steploop.ts'
import { tanstackAi } from './tanstack-ai.ts'

/** The floor comes first: the others are compared with it. */
export const contestants: readonly Contestant[] = [
  floor,
  steploop,
  openaiRunTools,
  aiSdk,
  openaiAgents,
  langchain,
  tanstackAi,
]
