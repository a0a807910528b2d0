import { isObject } from '@steploop/core/adapter'
import { described } from '../described.ts'
import { locationOfError } from '../location-of-error.ts'
import { settleWithin } from '../deadline.ts'
import type { ScriptedAnswer, ScriptedTurn } from '../script.ts'
import type { Subject } from '../subject.ts'
import { parsed } from '../json.ts'
import { bytesOf, type Body } from '../wires/simulate/body-bytes.ts'
import { breakageReply, cutBody, type WholeAnswer } from './breakage.ts'
import { asDeclared, offeredTools, objectAnswer, refuseUnread } from './offered-tools.ts'
import { bodyOf } from './play.ts'
import type { ProviderReply, SimulatedProvider, SimulatedRequest, SimulatedTurn } from '../provider-script.ts'
import { usageOf } from '../wires/simulate/scripted-answer.ts'
import type { Reply } from './reply.ts'

/** Milliseconds that a simulator may take for one answer. */
const answerTime = 5_000

/** A subject that brings the simulator of its wire format. */
export type OwnSimulation = Pick<Subject, 'model' | 'readRequest'> & {
  readonly simulate: NonNullable<Subject['simulate']>
}

export interface OwnPlayOptions {
  readonly own: OwnSimulation
  readonly scenario: string
  readonly script: readonly ScriptedTurn[]
  /** Turns that the provider answered before. Default 0. */
  readonly earlierTurns?: number | undefined
}

export interface OwnPlay {
  readonly reply: (request: SimulatedRequest) => Promise<Reply>
  /** Turns of the script that were not asked for yet. */
  readonly remaining: number
}

/** What stands before the paths of requests: that of the public base URL. */
export function ownBasePath(baseURL: string): string {
  return new URL(baseURL).pathname.replace(/\/+$/, '')
}

/**
 * Lets an author's simulator play a script. What is wrong with the simulator is a refusal that says so, and it is the answer from then on:
 * what came after would be about the simulator, not about the adapter.
 */
export function openOwnPlay({ own, scenario, script, earlierTurns = 0 }: OwnPlayOptions): OwnPlay {
  let position = 0
  let provider: SimulatedProvider | undefined
  let fault: string | undefined
  const play = async (request: SimulatedRequest): Promise<Reply> => {
    const body = parsed(request.text)
    let turn: ScriptedTurn | undefined
    const next = (): SimulatedTurn => {
      if (turn !== undefined)
        throw new Error('`next` was called twice for one request, which has one turn: keep what it gave')
      turn = script[position]
      if (turn === undefined) throw new ScriptOver(script.length)
      position += 1
      return turnSaid(turn, { own, body, text: request.text, number: earlierTurns + position })
    }
    provider ??= own.simulate({ scenario, model: own.model })
    const reply = await settleWithin(answerTime, 'the answer', Promise.resolve(provider({ ...request, body }, next)))
    return finished(checked(reply), turn)
  }
  return {
    async reply(request) {
      if (fault !== undefined) return rejection(500, fault, simulatorFault)
      try {
        return await play(request)
      } catch (error) {
        if (error instanceof ScriptOver) return rejection(500, error.message)
        const location = locationOfError(error)
        fault = `the simulator itself fails: ${described(error)}${location === undefined ? '' : ` (at ${location})`}`
        return rejection(500, fault, simulatorFault)
      }
    },
    get remaining() {
      return script.length - position
    },
  }
}

class ScriptOver extends Error {
  constructor(turns: number) {
    super(
      `the script is over: it has ${turns} ${turns === 1 ? 'turn' : 'turns'}, and all were given out before this request`,
    )
  }
}

/** The type of a rejection for which the simulator, not the adapter, is to blame. */
export const simulatorFault = 'simulator-fault'

function rejection(status: number, message: string, type = 'refused'): Reply {
  const body = JSON.stringify({ error: { message } })
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body,
    rejection: { status, message, type },
  }
}

interface Asked {
  readonly own: OwnSimulation
  readonly body: unknown
  readonly text: string
  readonly number: number
}

/** The turn as the author's simulator is told of it: what breaks it comes later. */
function turnSaid(turn: ScriptedTurn, { own, body, text, number }: Asked): SimulatedTurn {
  const tools = () => {
    // Nobody else knows the words of the format.
    const seen = own.readRequest?.(body).tools ?? []
    return seen.length > 0 ? seen : offeredTools(body)
  }
  refuseUnread(turn, tools, body ?? text)
  switch (turn.type) {
    case 'failure':
    case 'loss':
      return turn
    case 'object':
      return counted(objectAnswer(turn, tools()), number)
    case 'breakage':
      return counted({ type: 'answer', parts: turn.says ?? [] }, number)
    case 'answer':
      return counted(asDeclared(turn, tools), number)
    default:
      return turn satisfies never
  }
}

function counted(answer: ScriptedAnswer, turn: number): SimulatedTurn {
  const { type, parts, finish } = answer
  const showsReasoning = parts.some((part) => part.type === 'reasoning')
  return { type, parts, finish, turn, usage: usageOf(answer, turn, showsReasoning) }
}

interface CheckedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly whole: WholeAnswer
}

/** @throws TypeError for what is no reply */
function checked(reply: unknown): CheckedReply {
  if (!isObject(reply))
    throw new TypeError(`it answers with ${described(reply)}, not with an object: see ProviderReply`)
  const { status = 200, headers = {}, body, frames, terminal, rubbish }: ProviderReply = reply
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`\`status\` is ${status}: give a whole number from 200 to 599`)
  if (frames === undefined)
    return { status, headers: { 'content-type': 'application/json', ...headers }, whole: { body: asBody(body) } }
  if (!Array.isArray(frames) || !frames.every((frame) => isBody(frame))) {
    throw new TypeError('`frames` has to be an array of texts, or of bytes: one for each event')
  }
  const whole = { frames, terminal: terminal ?? frames.length - 1, rubbish }
  if (frames[whole.terminal] === undefined)
    throw new RangeError(`\`terminal\` is ${whole.terminal}, and there are ${frames.length} frames`)
  return { status, headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers }, whole }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'string' || value instanceof Uint8Array
}

function asBody(body: unknown): Body {
  if (body === undefined) return ''
  return isBody(body) ? body : JSON.stringify(body)
}

/** The reply as it goes out: whole, or broken where the script says so. */
function finished({ status, headers, whole }: CheckedReply, turn: ScriptedTurn | undefined): Reply {
  if (turn?.type === 'breakage') return breakageReply(turn, { headers, whole: () => whole })
  const body = turn?.type === 'answer' && turn.cutAfter !== undefined ? cutBody(whole, turn.cutAfter) : bodyOf(whole)
  if (turn !== undefined) return { status, headers, body }
  if (status < 400) throw new Error(`it answers with ${status} without a turn of the script: call \`next\` for it`)
  const message = new TextDecoder().decode(bytesOf(body)).slice(0, 300)
  return { status, headers, body, rejection: { status, message, type: 'refused' } }
}
