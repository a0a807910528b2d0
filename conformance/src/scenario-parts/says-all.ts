import type { Check } from '../check.ts'
import { unless } from '../check.ts'

/** The text of the first run, against what the script says. */
export function saysAll(text: string): Check {
  return {
    id: 'text-arrives-whole',
    isOfScript: true,
    sentence: 'The text is what the model said, character by character.',
    judge: ({ runs }) => {
      const got = runs[0]?.result?.text
      const is = got === undefined ? 'missing, because the run failed' : JSON.stringify(got)
      const message = `the text of the run is ${is}; the model said ${JSON.stringify(text)}`
      return unless(got === text, message, 'run 1')
    },
  }
}
