import { LoopError, type Message } from '@steploop/core'
import type { Check, Failure } from '../check.ts'
import { unless } from '../check.ts'
import type { RunRecord } from '../evidence.ts'

/** Exact numbers of requests and executions, run by run. */
export function counters(...expected: readonly { readonly requests: number; readonly executions: number }[]): Check {
  return {
    id: 'counters',
    sentence: 'As many requests are made, and as many tools run, as the limits and the script say.',
    judge: ({ runs }) =>
      expected.flatMap(({ requests, executions }, index) => {
        const run = runs[index]
        const where = `run ${index + 1}`
        if (run === undefined) return [{ message: 'the run did not take place', where }]
        return [
          ...unless(
            run.requests.length === requests,
            `${run.requests.length} requests were made instead of ${requests}`,
            where,
          ),
          ...unless(
            run.executions.length === executions,
            `${run.executions.length} tools ran instead of ${executions}`,
            where,
          ),
        ]
      }),
  }
}

/** Runs that stop early leave a conversation that any provider accepts. */
export const everyCallAnswered: Check = {
  id: 'every-call-answered',
  sentence: 'Whatever ended the run: in its transcript each call is answered, or pending.',
  judge: ({ runs }) => runs.flatMap((run) => unanswered(run)),
}

function unanswered(run: RunRecord): readonly Failure[] {
  const transcript = run.result?.transcript ?? (LoopError.isInstance(run.error) ? run.error.transcript : undefined)
  const where = `run ${run.number}`
  if (transcript === undefined) return [{ message: 'the run left no transcript', where }]
  const parts = transcript.messages.flatMap((message) => partsOf(message))
  const answered = new Set(parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])))
  const pending = new Set(transcript.pendingCalls.map(({ toolCallId }) => toolCallId))
  return parts
    .filter((part) => part.type === 'tool-call')
    .filter(({ toolCallId }) => !answered.has(toolCallId) && !pending.has(toolCallId))
    .map(({ toolName }) => ({ message: `the call of ${toolName} is left unanswered`, where }))
}

function partsOf({ content }: Message): readonly Exclude<Message['content'], string>[number][] {
  return typeof content === 'string' ? [] : content
}

/** At a limit the model is asked once more, and may not call. */
export const finalizesWithoutTools: Check = {
  id: 'finalizes-without-tools',
  sentence: 'Only the last request says that the model may not call any more.',
  judge: ({ runs }) => {
    const choices = (runs[0]?.turns ?? []).map(({ request }) => request.toolChoice)
    return [
      ...unless(
        choices.at(-1) === 'none',
        `the tool choice of the last request is ${JSON.stringify(choices.at(-1))}, not 'none'`,
        'run 1',
      ),
      ...unless(!choices.slice(0, -1).includes('none'), 'an earlier request has the tool choice `none`', 'run 1'),
    ]
  },
}

/** Why a resumed run is another one. */
export const countsAnew = 'Limits count per run: a run that is resumed counts anew.'
