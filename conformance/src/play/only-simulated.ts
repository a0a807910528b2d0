import type { Scenario } from '../scenario.ts'

/**
 * Why a scenario cannot be recorded from a real model: no request makes a provider fail, cut a stream, or write broken arguments on
 * demand. `undefined` when it can. The one failure that a request does cause is that of a refused key.
 */
export function onlySimulated({ script, onlySimulated: reason }: Scenario): string | undefined {
  if (reason !== undefined) return reason
  for (const turn of script) {
    if (turn.type === 'failure') {
      if (turn.failure === 'bad-key' && turn.location !== 'body') continue
      return `a real provider does not answer '${turn.failure}' on demand`
    }
    // Whoever is asked for an object of a schema gives one.
    if (turn.type === 'object') continue
    if (turn.type !== 'answer')
      return `a real provider does not answer with ${article(turn.type)} ${turn.type} on demand`
    if (turn.cutAfter !== undefined) return 'a real provider does not cut an answer on demand'
    if (turn.finish !== undefined && turn.finish !== 'stop' && turn.finish !== 'length') {
      return `a real model does not end with '${turn.finish}' on demand`
    }
    const odd = turn.parts.find((part) => part.type === 'call' && (part.inputText ?? part.id) !== undefined)
    if (odd !== undefined) return 'a real model does not write broken arguments or given ids on demand'
  }
  return undefined
}

const article = (word: string): string => (/^[aeiou]/.test(word) ? 'an' : 'a')
