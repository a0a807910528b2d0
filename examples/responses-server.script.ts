import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const responsesServerTakes: readonly Take[] = [
  {
    model: [
      answer(call('web_search', { query: 'museum hours Thursday' })),
      answer(call('reserve', { day: 'Thursday' })),
      answer(say('It is open until 18:00, and ticket 71 is yours.')),
    ],
  },
]
