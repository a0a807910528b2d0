import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from '../../../src/contract/messages.ts'
import { parseToolInput } from '../../../src/wire/tool-input.ts'
import { fixed, refined } from './application.ts'
import type { AppDraw, ToolDraw } from './draw.ts'
import type { ExecutionRecord, RequestRecord } from './ledger.ts'
import { decisionOn } from './next-run.ts'
import type { DecisionObservation, RunRecord } from './play.ts'
import { print } from './print.ts'
import { valueOf } from './schemas/testing.ts'
import { toolDraws } from './tools.ts'

/** What is wrong: a name for the kind, and where it was seen. */
export interface Problem {
  readonly kind: string
  readonly detail: string
}

export type Check = (observation: DecisionObservation) => readonly Problem[]

/** The same question to every run. */
export function perRun(check: (run: RunRecord, observation: DecisionObservation) => readonly Problem[]): Check {
  return (observation) =>
    observation.runs.flatMap((run) =>
      check(run, observation).map(({ kind, detail }) => ({ kind, detail: `run ${run.run}: ${detail}` })),
    )
}

export function requestsOf({ run }: RunRecord, { ledger }: DecisionObservation): readonly RequestRecord[] {
  return ledger.requests.filter((request) => request.run === run)
}

export function executionsOf({ run }: RunRecord, { ledger }: DecisionObservation): readonly ExecutionRecord[] {
  return ledger.executed.filter((execution) => execution.run === run)
}

/** Without those of tools that only read and started in a turn that then failed: their results are thrown away. */
export function keptOf(run: RunRecord, observation: DecisionObservation): readonly ExecutionRecord[] {
  return executionsOf(run, observation).filter(isKept)
}

export function isKept({ early, request }: ExecutionRecord): boolean {
  return !early || request?.finished === true
}

export function toolOf(name: string, run: RunRecord, { draw }: DecisionObservation): ToolDraw | undefined {
  return toolDraws({ draw, change: run.change }).get(name)
}

/** How a person allowed this execution, if one did. */
export function grantOf(execution: ExecutionRecord, run: RunRecord): 'as shown' | 'edited' | undefined {
  const decision = execution.request === undefined ? decisionOn(execution.id, run) : undefined
  if (decision === undefined || !('approved' in decision) || !decision.approved) return undefined
  return decision.input === undefined ? 'as shown' : 'edited'
}

export function callsIn(message: Message | undefined): readonly ToolCallPart[] {
  if (message?.role !== 'assistant') return []
  return message.content.filter((part) => part.type === 'tool-call' && part.owner !== 'provider') as ToolCallPart[]
}

export function callIn(messages: readonly Message[], id: string): ToolCallPart | undefined {
  return messages.flatMap(callsIn).findLast(({ toolCallId }) => toolCallId === id)
}

export function resultsIn(messages: readonly Message[]): readonly ToolResultPart[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.content.filter(({ type }) => type === 'tool-result') : [],
  )
}

export function textIn(message: AssistantMessage): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** What `execute` has to get for a call that nobody edited, printed. `undefined`: nothing, or it cannot be foreseen. */
export function expectedValue(app: AppDraw, tool: ToolDraw, { toolName, inputText }: ToolCallPart): string | undefined {
  if (tool.schema === 'fresh') return undefined
  const parsed = parseToolInput(inputText)
  const checked =
    parsed.invalid === undefined ? valueOf(tool.schema, refinedInput(app, toolName, parsed.input)) : undefined
  if (checked !== undefined) return print(checked.value)
  const fix = fixed(app, parsed.input)
  const value = fix === undefined ? undefined : valueOf(tool.schema, fix)
  return value && print(value.value)
}

function refinedInput(app: AppDraw, toolName: string, input: unknown): unknown {
  return refined(app, toolName, input) ?? input
}

/** The run and those whose work it goes on with, the latest first; a prompt of the user begins anew. */
export function turnOf(run: RunRecord, { runs }: DecisionObservation): readonly RunRecord[] {
  const chain = [run]
  for (let last = run; ;) {
    const base = last.base === undefined || last.draw?.prompt ? undefined : runs[last.base]
    if (base === undefined || isOver(base)) return chain
    chain.push(base)
    last = base
  }
}

/** What ran since the user spoke. An answer that comes together with a prompt still belongs to what was before. */
export function ranInTurn(run: RunRecord, observation: DecisionObservation): readonly ExecutionRecord[] {
  return turnOf(run, observation).flatMap((other) => {
    const kept = keptOf(other, observation)
    return other.draw?.prompt ? kept.filter(({ request }) => request !== undefined) : kept
  })
}

/** It came to an end of its own: whoever runs its transcript again wants something new. */
function isOver({ outcome }: RunRecord): boolean {
  return outcome.type === 'result' && outcome.result.status !== 'requires-action'
}

/** The run and all whose transcripts led to it. */
export function ancestryOf(run: RunRecord, { runs }: DecisionObservation): readonly RunRecord[] {
  const chain = [run]
  for (let base = run.base; base !== undefined; base = runs[base]?.base) {
    const earlier = runs[base]
    if (earlier !== undefined) chain.push(earlier)
  }
  return chain
}

/** The run that was given nothing honest, or refused what it was given. */
export function isRefused({ outcome }: RunRecord): boolean {
  if (outcome.type !== 'error') return false
  const code: unknown = (outcome.error as { readonly code?: unknown }).code
  return ['invalid-input', 'invalid-transcript', 'transcript-version', 'invalid-options'].includes(String(code))
}

export function hasActed(run: RunRecord, act: string, { ledger }: DecisionObservation): boolean {
  return ledger.hooks.some((hook) => hook.run === run.run && hook.act === act)
}
