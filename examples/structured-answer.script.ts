import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

export const structuredAnswerTakes: readonly Take[] = [
  {
    model: [
      answer(call('order', { number: 'ZH-1001' })),
      answer(say('{"number":"ZH-1001","delayed":true,"city":"Basel"}')),
    ],
  },
]
