import type { ScriptedAnswer } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'

/** For scenarios that are about what goes along: the weather is looked up, and told. */
export function oneCall(said: string): { readonly script: readonly ScriptedAnswer[]; readonly golden: string } {
  return {
    script: [answer(call('get_weather', { city: 'Zürich' })), answer(say(said))],
    golden: `
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    `,
  }
}
