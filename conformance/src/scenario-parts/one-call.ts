import type { ScriptedAnswer } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'

export interface OneCall {
  readonly toolName: string
  readonly input: Readonly<Record<string, string>>
  /** What the tool gives. */
  readonly output: 'json' | 'text' | 'content'
}

const weather: OneCall = { toolName: 'get_weather', input: { city: 'Zürich' }, output: 'json' }

/** For scenarios that are about what goes along: one tool is called, by default for the weather, and what it gives is told. */
export function oneCall(
  said: string,
  { toolName, input, output }: OneCall = weather,
): { readonly script: readonly ScriptedAnswer[]; readonly golden: string } {
  return {
    script: [answer(call(toolName, input)), answer(say(said))],
    golden: `
      step 1 tool-calls: call ${toolName} ${JSON.stringify(input)} by loop + result ${toolName} ${output}
      step 2 stop: text
      completed answer
    `,
  }
}
