import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const parallelToolsTakes: readonly Take[] = [
  {
    model: [
      answer(
        say('Let me look.'),
        call('weather', { city: 'Paris' }),
        call('weather', { city: 'Zürich' }),
        call('time', { city: 'Tokyo' }),
      ),
      answer(say('Paris: rain, 9 °C. Zürich: sun, 4 °C. In Tokyo it is 23:30.')),
    ],
  },
]
