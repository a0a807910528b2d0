import type { Mode, TurnEvent } from '@steploop/core/adapter'
import { holdsIn } from '../judge/applicability.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import type { ScriptedAnswer } from '../script.ts'
import { ask, lookup } from './requests/request-form.ts'
import { eventsOf, streamOf } from './replay-turn.ts'
import type { Bytes } from './split-offsets.ts'
import type { StressCase } from './stressor.ts'

/** A turn, and what it was made of. */
export interface Told {
  readonly events: readonly TurnEvent[]
  /** The response as it went out, and its content type. */
  readonly body: Bytes
  readonly type: string
}

interface AskedOtherwise {
  /** Default: that of the case. */
  readonly mode?: Mode
  /** Number of the turn. Default 0. */
  readonly turn?: number
  readonly edit?: (body: Bytes, type: string) => Bytes
}

/** The turn that the simulator answers so; `edit` changes what it sends. */
export async function told(
  { subject, mode: own }: Pick<StressCase, 'subject' | 'mode'>,
  scripted: ScriptedAnswer,
  { mode = own, turn = 0, edit }: AskedOtherwise = {},
): Promise<Told> {
  const simulated = simulatedFetch({ subject, script: [scripted], earlierTurns: turn })
  let sent: Omit<Told, 'events'> = { body: new Uint8Array(), type: '' }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await simulated.fetch(input, init)
    const { status, headers } = response
    const body = new Uint8Array(await response.arrayBuffer())
    const type = headers.get('content-type') ?? ''
    sent = { body: edit?.(body, type) ?? body, type }
    return new PlainResponse(streamOf({ chunks: [sent.body] }), { status, headers })
  }
  const adapter = subject.adapter({ fetch, apiKey: canary })
  const { tools, reasoning } = adapter.capabilities
  const request = {
    messages: [ask],
    turn,
    ...(holdsIn(tools, mode) && holdsIn(tools, own) && { tools: [lookup] }),
    ...(holdsIn(reasoning, mode) && { settings: { reasoning: 'low' } as const }),
  }
  return { events: await eventsOf(adapter.turn(request, { mode })), ...sent }
}
