import type { ScriptedAnswer } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'

export interface OneCall {
  readonly toolName: string
  readonly input: Readonly<Record<string, string>>
  /** What the tool gives. */
  readonly output: 'json' | 'text' | 'content'
}

export const weather: OneCall = { toolName: 'get_weather', input: { city: 'Zürich' }, output: 'json' }
export const time: OneCall = { toolName: 'get_time', input: { tz: 'Asia/Tokyo' }, output: 'text' }

/** For scenarios that are about what goes along: tools are called one by one, by default that for the weather, and what they give is told. */
export function oneCall(
  text: string,
  ...calls: readonly OneCall[]
): { readonly script: readonly ScriptedAnswer[]; readonly golden: string } {
  const chosen = calls.length === 0 ? [weather] : calls
  const steps = chosen.map(({ toolName, input, output }, index) => {
    return `step ${index + 1} tool-calls: call ${toolName} ${JSON.stringify(input)} by loop + result ${toolName} ${output}`
  })
  return {
    script: [...chosen.map(({ toolName, input }) => answer(call(toolName, input))), answer(say(text))],
    golden: [...steps, `step ${chosen.length + 1} stop: text`, 'completed answer'].join('\n'),
  }
}
