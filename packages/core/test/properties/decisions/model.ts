import type { Adapter, Capabilities, TurnEvent, TurnRequest } from '../../../src/contract/adapter.ts'
import { AdapterError } from '../../../src/contract/errors.ts'
import { parseToolInput } from '../../../src/wire/tool-input.ts'
import type { Usage } from '../../../src/contract/usage.ts'
import { inputTexts, type AppDraw, type CallDraw, type PartDraw, type TurnDraw } from './draw.ts'
import type { Ledger, RequestRecord } from './ledger.ts'

export function makeModel(ledger: Ledger): Adapter {
  const { app } = ledger.draw
  return {
    provider: 'main',
    model: 'main-1',
    capabilities: capabilitiesOf(app),
    turn(request) {
      const record = recordRequest(ledger, request)
      ledger.requests.push(record)
      return playTurn(ledger, record, request.turn)
    },
  }
}

function capabilitiesOf({ continues, structured }: AppDraw): Capabilities {
  return {
    tools: true,
    providerTools: true,
    parallel: true,
    toolChoice: ['auto', 'none', 'required', 'tool'],
    continuation: continues,
    structured: structured !== 'tool',
    structuredWithTools: structured !== 'tool',
  }
}

const afterScript: TurnDraw = { parts: [{ type: 'text', text: 'over' }], end: 'complete', usage: 'none' }

function recordRequest(ledger: Ledger, request: TurnRequest): RequestRecord {
  const number = ledger.requests.length
  return {
    at: ledger.next(),
    run: ledger.run,
    number,
    turn: ledger.draw.turns[number] ?? afterScript,
    messages: structuredClone(request.messages),
    toolChoice: request.toolChoice,
    tools: (request.tools ?? []).map(({ name }) => name),
    continuation: request.continuation,
    finished: false,
    finishedAt: 0,
  }
}

export function responseIdOf(number: number): string {
  return `response-${number}`
}

async function* playTurn(
  ledger: Ledger,
  record: RequestRecord,
  ordinal: number,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  const { turn, number } = record
  const { app } = ledger.draw
  yield [{ type: 'turn-start', model: 'main-1', ...(app.continues && { responseId: responseIdOf(number) }) }]
  for (const [slot, part] of turn.parts.entries()) yield partEvents(part, slot, idOf(app, { slot, number, ordinal }))
  if (turn.end !== 'complete') {
    const code = endCodes[turn.end]
    throw new AdapterError({ provider: 'main', model: 'main-1', code })
  }
  record.finished = true
  record.finishedAt = ledger.next()
  const calls = turn.parts.some((part) => part.type === 'call')
  const usage = usages[turn.usage]
  yield [{ type: 'turn-end', finishReason: calls ? 'tool-calls' : 'stop', ...(usage && { usage: { ...usage } }) }]
  return undefined
}

const endCodes = { connection: 'connection', fatal: 'bad-request', unreadable: 'tool-use-failed' } as const

const usages: Readonly<Record<TurnDraw['usage'], Usage | undefined>> = {
  none: undefined,
  ten: { inputTokens: 5, outputTokens: 5 },
  negative: { inputTokens: -1, outputTokens: -1 },
  nan: { inputTokens: Number.NaN, outputTokens: 5 },
}

interface CallScope {
  readonly slot: number
  readonly number: number
  readonly ordinal: number
}

function idOf({ ids }: AppDraw, { slot, number, ordinal }: CallScope): string {
  switch (ids) {
    case 'turn':
      return `call_${ordinal}_${slot}`
    case 'own':
      return `c${number}_${slot}`
    case 'same':
      return 'same'
    default:
      return ids satisfies never
  }
}

function partEvents(part: PartDraw, slot: number, toolCallId: string): readonly TurnEvent[] {
  if (part.type === 'call') return callEvents(part, slot, toolCallId)
  return [
    { type: 'text-start', part: slot },
    { type: 'text-delta', part: slot, text: part.text },
    { type: 'text-end', part: slot },
  ]
}

export function inputTextOf({ input }: CallDraw): string {
  return inputTexts[input] ?? '{}'
}

function callEvents(call: CallDraw, slot: number, toolCallId: string): readonly TurnEvent[] {
  const inputText = inputTextOf(call)
  const named = { part: slot, toolCallId, toolName: call.tool, owner: 'client' } as const
  return [
    { type: 'tool-call-start', ...named },
    { type: 'tool-call-delta', part: slot, toolCallId, inputText },
    { type: 'tool-call', ...named, ...parseToolInput(inputText), inputText },
  ]
}
