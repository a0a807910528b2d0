import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const chatPageTakes: readonly Take[] = [
  {
    model: [answer(call('hours', { place: 'library' })), answer(say('Yes, the library is open until 18:00.'))],
  },
]
