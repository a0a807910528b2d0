import { objectOf } from '@steploop/core/adapter'
import type { ScriptedAnswer, ScriptedFailure, ScriptedTurn } from '../script.ts'
import { joined, type Body } from '../wires/simulate/body-bytes.ts'
import { breakageReply, cutBody, type WholeAnswer } from './breakage.ts'
import { asDeclared, offeredTools, objectAnswer, type OfferedTool } from './offered-tools.ts'
import type {
  AnswerContext,
  JsonObject,
  Memory,
  Rejection,
  WireSimulation,
  Withheld,
} from '../wires/simulate/wire-simulation.ts'
import type { SimulatedRequest } from '../provider-script.ts'
import type { Reply } from './reply.ts'

/** A script that is being played. */
export interface Play {
  readonly simulation: WireSimulation
  readonly script: readonly ScriptedTurn[]
  readonly apiKey?: string | undefined
  readonly memory: Memory
  /** Turns of the script that were given out. */
  position: number
  /** Requests that came, refused ones too. */
  requests: number
}

const contentTypes = { json: 'application/json', stream: 'text/event-stream; charset=utf-8' } as const

/** Answers one request: refuses it as the provider would, or gives the next turn of the script. No I/O. */
export function reply(play: Play, request: SimulatedRequest): Reply {
  play.requests += 1
  const checked = accept(play, request)
  if ('rejection' in checked) return rejectionReply(play, checked.rejection)
  const turn = play.script[play.position]
  if (turn === undefined) return rejectionReply(play, scriptIsOver(play))
  play.position += 1
  if (turn.type === 'loss') return lossReply(play, request)
  const context = { turn: play.position, request: checked.body }
  const tools = (): readonly OfferedTool[] => offeredTools(checked.body)
  switch (turn.type) {
    case 'answer':
      return answerReply(play, asDeclared(turn, tools), context)
    case 'object':
      return answerReply(play, objectAnswer(turn, tools()), context)
    case 'failure':
      return failureReply(play, turn, context)
    case 'breakage':
      return breakageReply(turn, {
        headers: headersOf(play, play.simulation.isStream(context.request) ? 'stream' : 'json'),
        whole: () => wholeAnswer(play.simulation, { type: 'answer', parts: turn.says ?? [] }, context),
      })
    default:
      return turn satisfies never
  }
}

type Accepted = { readonly body: JsonObject } | { readonly rejection: Rejection }

function accept(play: Play, request: SimulatedRequest): Accepted {
  const { simulation } = play
  const path = request.path.split('?')[0] ?? ''
  const expected = `${simulation.basePath}${simulation.path}`
  const isEndpoint = simulation.readPath === undefined && path === expected
  const named = isEndpoint ? {} : simulation.readPath?.(request.path)
  if (named === undefined || request.method !== 'POST') {
    const message = `Not found: ${request.method} ${path}. This simulator answers POST ${expected}.`
    return { rejection: { status: 404, type: simulation.errorTypes.notFound, message } }
  }
  const unauthorised = simulation.authorise(request.headers, play.apiKey, request)
  if (unauthorised !== undefined) return { rejection: unauthorised }
  const body = parse(request)
  const rejection = simulation.check(body, play.memory, named)
  return rejection === undefined ? { body: { ...objectOf(body), ...named } } : { rejection }
}

/** `undefined` for what is no JSON, or is not sent as JSON. */
function parse(request: SimulatedRequest): unknown {
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) return undefined
  try {
    return JSON.parse(request.text)
  } catch {
    return undefined
  }
}

/** Reply to the same request once more, at a provider that knows nothing any more. What it refuses now is what the script wants. */
function lossReply(play: Play, request: SimulatedRequest): Reply {
  forget(play.memory)
  const checked = accept(play, request)
  if ('rejection' in checked) return statusReply(play, checked.rejection)
  const message = 'The script has lost the earlier responses, and the request names none of them.'
  return rejectionReply(play, { status: 500, type: play.simulation.errorTypes.server, code: 'nothing_lost', message })
}

/** Responses are gone, and the items in them can no longer be referred to. */
function forget({ responses, items }: Memory): void {
  responses.clear()
  for (const [id, issued] of items) items.set(id, { ...issued, stored: false })
}

function scriptIsOver(play: Play): Rejection {
  const turns = play.script.length
  const message = `The simulator's script is over: it has ${turns} ${turns === 1 ? 'turn' : 'turns'}, and all were given out before this request.`
  return { status: 500, type: play.simulation.errorTypes.server, code: 'script_over', message }
}

function rejectionReply(play: Play, rejection: Rejection): Reply {
  const body = JSON.stringify(play.simulation.errorBody(rejection, play.requests))
  return { status: rejection.status, headers: headersOf(play, 'json', rejection), body, rejection }
}

function failureReply(play: Play, turn: ScriptedFailure, context: AnswerContext): Reply {
  const { simulation } = play
  const failure = simulation.failure(turn.failure, context)
  if (turn.location !== 'body') return statusReply(play, failure)
  if (!simulation.isStream(context.request)) {
    const body = JSON.stringify(simulation.failureJson(failure, context))
    return { status: 200, headers: headersOf(play, 'json'), body }
  }
  return brokenStreamReply(play, { rejection: failure, before: { type: 'answer', parts: turn.after ?? [] } }, context)
}

function statusReply(play: Play, failure: Rejection): Reply {
  const body = JSON.stringify(play.simulation.errorBody(failure, play.requests))
  return { status: failure.status, headers: headersOf(play, 'json', failure), body }
}

function brokenStreamReply(play: Play, { rejection, before }: Withheld, context: AnswerContext): Reply {
  const body = joined(play.simulation.failureStream(rejection, before, context))
  return { status: 200, headers: headersOf(play, 'stream'), body }
}

function answerReply(play: Play, turn: ScriptedAnswer, context: AnswerContext): Reply {
  const { simulation } = play
  const withheld = simulation.withhold?.(turn, context)
  if (withheld !== undefined) {
    const streams = simulation.isStream(context.request)
    return streams ? brokenStreamReply(play, withheld, context) : statusReply(play, withheld.rejection)
  }
  simulation.remember?.(context.request, simulation.answerJson(turn, context), play.memory)
  const whole = wholeAnswer(simulation, turn, context)
  const headers = headersOf(play, 'frames' in whole ? 'stream' : 'json')
  return { status: 200, headers, body: turn.cutAfter === undefined ? bodyOf(whole) : cutBody(whole, turn.cutAfter) }
}

function wholeAnswer(simulation: WireSimulation, turn: ScriptedAnswer, context: AnswerContext): WholeAnswer {
  if (simulation.isStream(context.request)) return simulation.answerStream(turn, context)
  return { body: JSON.stringify(simulation.answerJson(turn, context)) }
}

export function bodyOf(whole: WholeAnswer): Body {
  return 'frames' in whole ? joined(whole.frames) : whole.body
}

function headersOf(play: Play, kind: 'json' | 'stream', rejection?: Rejection): Readonly<Record<string, string>> {
  return {
    ...(kind === 'stream' ? { 'cache-control': 'no-cache' } : {}),
    'content-type': (kind === 'stream' ? play.simulation.streamType : undefined) ?? contentTypes[kind],
    ...play.simulation.headers(play.requests),
    ...rejection?.headers,
  }
}
