import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const telemetryTakes: readonly Take[] = [
  {
    model: [
      answer(call('weather', { city: 'Paris' }), call('weather', { city: 'Oslo' })),
      answer(say('It is 21 degrees in both.')),
    ],
  },
]
