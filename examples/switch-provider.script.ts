import type { Take } from './example.ts'
import { answer, call, overloaded, say } from './script-words.ts'

export const switchProviderTakes: readonly Take[] = [
  {
    model: [answer(call('stock', { item: 'red bicycle' })), overloaded()],
    other: [answer(say('Three red bicycles are left.'))],
  },
]
