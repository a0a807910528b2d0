import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const chatPageTakes: readonly Take[] = [
  {
    model: [
      answer(call('hours', { place: 'library' })),
      answer(call('reserve', { place: 'library' })),
      answer(say('The library is open until 18:00, and desk 12 is yours.')),
    ],
  },
]
