/** Scripted Chat Completions answers behind an injected `fetch`: no network, no parsing of the request, nothing but the bytes of an answer. */

export interface ScriptedFetch {
  readonly fetch: typeof fetch
  /** Called with the body of every request, before it is answered. */
  onRequest: ((body: string) => void) | undefined
}

/** Answers with `steps` turns of one call each, then with a text. */
export function toolLoopFetch(steps: number): ScriptedFetch {
  let turn = 0
  const scripted: ScriptedFetch = {
    onRequest: undefined,
    fetch(_url, init) {
      scripted.onRequest?.(typeof init?.body === 'string' ? init.body : '')
      const answer = turn < steps ? callAnswer(turn) : textAnswer()
      turn = turn === steps ? 0 : turn + 1
      return Promise.resolve(new Response(answer, { headers: { 'content-type': 'application/json' } }))
    },
  }
  return scripted
}

function callAnswer(turn: number): string {
  const call = {
    id: `call_${turn}`,
    type: 'function',
    function: { name: 'weather', arguments: `{"city":"City ${turn}"}` },
  }
  return answer({ role: 'assistant', content: null, tool_calls: [call] }, 'tool_calls')
}

function textAnswer(): string {
  return answer({ role: 'assistant', content: 'It is mild everywhere.' }, 'stop')
}

function answer(message: unknown, finish: string): string {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  const choices = [{ index: 0, message, finish_reason: finish }]
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'bench-1', choices, usage })
}
