import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const searchDatesTakes: readonly Take[] = [
  {
    model: [
      answer(call('search_web', { query: 'tunnel news', after: '2026-11-02' })),
      answer(say('The tunnel was opened, and the first train went through.')),
    ],
  },
]
