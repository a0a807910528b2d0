import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const clientToolsTakes: readonly Take[] = [
  {
    model: [
      answer(call('price', { row: 12 }), call('pick_seat', { row: 12, seats: ['A', 'C', 'F'] })),
      answer(say('Seat 12C is yours. It costs 45 CHF.')),
    ],
  },
]
