import { aiSdk } from './ai-sdk.ts'
import type { Contestant } from './contestant.ts'
import { floor } from './floor.ts'
import { openaiRunTools } from './openai-run-tools.ts'
import { steploop } from './steploop.ts'

/** The floor comes first: the others are compared with it. */
export const contestants: readonly Contestant[] = [floor, steploop, openaiRunTools, aiSdk]
