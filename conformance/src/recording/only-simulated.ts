import type { Scenario } from '../scenario.ts'

/**
 * Why a scenario cannot be recorded from a real model: no request makes a provider fail, cut a stream, or write broken arguments on
 * demand. `undefined` when it can. The one failure that a request does cause is that of a refused key.
 */
export function onlySimulated({ script }: Scenario): string | undefined {
  for (const turn of script) {
    if (turn.type === 'failure') {
      if (turn.failure === 'bad-key' && turn.place !== 'body') continue
      return `a real provider does not answer '${turn.failure}' on demand`
    }
    if (turn.type !== 'answer')
      return `a real provider does not answer with ${article(turn.type)} ${turn.type} on demand`
    if (turn.cutAfter !== undefined) return 'a real provider does not cut an answer on demand'
    if (turn.finish === 'content-filter' || turn.finish === 'pause') {
      return `a real model does not end with '${turn.finish}' on demand`
    }
    const odd = turn.parts.find((part) => part.type === 'call' && (part.inputText ?? part.id) !== undefined)
    if (odd !== undefined) return 'a real model does not write broken arguments or given ids on demand'
  }
  return undefined
}

const article = (word: string): string => (/^[aeiou]/.test(word) ? 'an' : 'a')
