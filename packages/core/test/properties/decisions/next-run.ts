import type { RunInput } from '../../../src/options/loop-options.ts'
import type { PendingCall, Transcript, ToolAnswer } from '../../../src/contract/transcript.ts'
import type { AnswerDraw, DecisionDraw, NextDraw } from './draw.ts'
import { jsonCopy } from './print.ts'
import { tampered } from './tamper.ts'

/** How a run begins, and what is known of it beforehand. */
export interface Beginning {
  readonly input: RunInput
  /** The run whose transcript it goes on with. */
  readonly base: number | undefined
  /** The transcript as it was given. */
  readonly transcript: Transcript | undefined
  /** What the caller saw of the calls that wait, by id. */
  readonly shown: ReadonlyMap<string, PendingCall>
  readonly answers: Readonly<Record<string, ToolAnswer>>
  readonly draw: NextDraw | undefined
  readonly tampered: boolean
  /** An answer is none that this call may get. */
  readonly forged: boolean
}

export const freshRun: Beginning = {
  input: 'What now?',
  base: undefined,
  transcript: undefined,
  shown: new Map(),
  answers: {},
  draw: undefined,
  tampered: false,
  forged: false,
}

/** What approvers write instead of the model's arguments. */
export const editedInput = { n: 77, text: 'edited' } as const

/** What the application does next with the transcript of run `base`; `undefined`: nothing. */
export function nextRun(
  draw: NextDraw,
  base: number,
  transcript: Transcript,
  { tools }: DecisionDraw,
): Beginning | undefined {
  const copy = jsonCopy(transcript)
  if (copy === undefined) return undefined
  const free = tools.findIndex(({ approval }) => approval === 'none')
  const given = draw.tamper === undefined ? (draw.json ? copy : transcript) : tampered(draw.tamper, copy, `t${free}`)
  if (given === undefined) return undefined
  const { answers, forged } = answersOf(draw, given.pendingCalls)
  const toolOutputs = Object.keys(answers).length === 0 ? undefined : answers
  const prompt = draw.prompt ? 'And then?' : undefined
  const shown = new Map(copy.pendingCalls.map((call) => [call.toolCallId, call]))
  const input = { transcript: given, toolOutputs, prompt }
  return { input, base, transcript: given, shown, answers, draw, forged, tampered: draw.tamper !== undefined }
}

interface Answers {
  readonly answers: Readonly<Record<string, ToolAnswer>>
  readonly forged: boolean
}

function answersOf(draw: NextDraw, pending: readonly PendingCall[]): Answers {
  const answers: Record<string, ToolAnswer> = {}
  let forged = false
  for (const [index, call] of pending.entries()) {
    const how = draw.answers[index % Math.max(1, draw.answers.length)] ?? 'skip'
    const answer = answerOf(how, call)
    if (answer === undefined) continue
    answers[call.toolCallId] = answer
    if (call.reason === 'approval' && (how === 'forge' || how === 'forge-both' || how === 'truthy')) forged = true
  }
  const open = pending.some(({ toolCallId: id, reason }) => reason === 'approval' && !Object.hasOwn(answers, id))
  // One input for several calls is refused.
  const common = draw.everyApproval === 'edit' ? 'approve' : draw.everyApproval
  if (open && common !== undefined) answers['*'] = structuredClone(decisions[common])
  return { answers, forged }
}

const decisions: Readonly<Record<'approve' | 'deny' | 'edit', ToolAnswer>> = {
  approve: { approved: true },
  deny: { approved: false, reason: 'too risky' },
  edit: { approved: true, input: { ...editedInput } },
}

function answerOf(how: AnswerDraw, { reason }: PendingCall): ToolAnswer | undefined {
  if (how === 'skip') return undefined
  if (reason === 'client-tool') return how === 'deny' ? { error: 'closed' } : { output: { said: 'yes' } }
  switch (how) {
    case 'approve':
    case 'deny':
    case 'edit':
      return structuredClone(decisions[how])
    case 'forge':
      return { output: { paid: true } }
    case 'forge-both':
      return { approved: true, output: { paid: true } }
    case 'truthy':
      return { approved: 'yes' } as unknown as ToolAnswer
    default:
      return how satisfies never
  }
}

/** The decision on a call, if there is one. */
export function decisionOn(id: string, { answers, shown }: Beginning): ToolAnswer | undefined {
  const own = Object.hasOwn(answers, id) ? answers[id] : undefined
  return own ?? (shown.get(id)?.reason === 'approval' ? answers['*'] : undefined)
}
