import { isObject } from '../../../src/wire/json.ts'
import { toJsonValue } from '../../../src/wire/json-value.ts'
import {
  providerTool,
  type AnyTool,
  type FunctionTool,
  type ToolContext,
  type ToolSet,
} from '../../../src/tools/tool.ts'
import { toolNames, type ApprovalKind, type SchemaKind, type ToolDraw } from './draw.ts'
import { judge, mayWrite, type ExecutionRecord, type Ledger } from './ledger.ts'
import { isJson, print } from './print.ts'
import { schemas } from './schemas/testing.ts'

/** What people and policies are careful about. */
export function isDanger(value: unknown): boolean {
  if (!isObject(value)) return false
  const { n, text, who } = value
  const name: unknown = who instanceof Set ? [...who].join() : text
  return Number(n ?? 0) > 100 || (typeof name === 'string' && name.startsWith('/etc'))
}

/** The tools that a run has: `change` may be another version of them. */
export function toolDraws(ledger: Pick<Ledger, 'draw' | 'change'>): ReadonlyMap<string, ToolDraw> {
  const { draw, change } = ledger
  const drawn = draw.tools.map((tool, index): readonly [string, ToolDraw] => {
    const name = toolNames[index] ?? 't'
    if (change === 'always') return [name, { ...tool, approval: 'always' }]
    if (change === 'definition' && index === 0) return [name, { ...tool, schema: otherSchema(tool.schema) }]
    return [name, tool]
  })
  return new Map(drawn)
}

function otherSchema(schema: SchemaKind): SchemaKind {
  return schema === 'default' ? 'tidy' : 'default'
}

export function makeTools(ledger: Ledger): ToolSet {
  const own = [...toolDraws(ledger)].map(([name, drawn]): readonly [string, AnyTool] => [
    name,
    makeTool(ledger, name, drawn),
  ])
  return {
    ...Object.fromEntries(own),
    ask: { type: 'function', inputSchema: schemas.plain },
    shell: providerTool({ provider: 'main', name: 'shell', definition: { type: 'shell_1' } }),
  }
}

function makeTool(ledger: Ledger, name: string, drawn: ToolDraw): AnyTool {
  const tool: FunctionTool = {
    type: 'function',
    description: `${name} by ${drawn.schema}`,
    inputSchema: schemas[drawn.schema],
    effect: drawn.effect,
    ...(drawn.approval !== 'none' && { needsApproval: approvalOf(ledger, name, drawn.approval) }),
    execute: (input, context) => execute(ledger, { name, drawn }, input, context),
  }
  return tool
}

type NeedsApproval = FunctionTool['needsApproval']

function approvalOf(ledger: Ledger, tool: string, kind: ApprovalKind): NeedsApproval {
  if (kind === 'always') return true
  if (kind === 'odd') return 'true' as unknown as NeedsApproval
  const ask = (input: unknown): unknown => {
    const danger = isDanger(input)
    const passes = !danger && kind !== 'falsy' && kind !== 'throws'
    judge(ledger, { by: 'predicate', tool, input, passes })
    mayWrite(ledger, 'predicate', input)
    if (kind === 'throws') throw new Error('predicate')
    if (kind === 'truthy') return danger ? 'yes' : false
    return kind === 'falsy' ? danger || 0 : danger
  }
  return (kind === 'later' ? (input) => Promise.resolve(ask(input)) : ask) as NeedsApproval
}

interface Executed {
  readonly name: string
  readonly drawn: ToolDraw
}

function execute(ledger: Ledger, { name, drawn }: Executed, input: unknown, context: ToolContext): unknown {
  const record = recordExecution(ledger, { name, drawn }, input, context)
  ledger.executed.push(record)
  mayWrite(ledger, 'input', input)
  mayWrite(ledger, 'messages', context.messages)
  return settle(ledger, record)
}

function recordExecution(
  ledger: Ledger,
  { name, drawn }: Executed,
  input: unknown,
  { toolCallId: id, idempotencyKey: key }: ToolContext,
): ExecutionRecord {
  const before = ledger.executed.filter(({ tool }) => tool === name).length
  const outcome = drawn.outcomes[before % drawn.outcomes.length] ?? 'value'
  const last = ledger.requests.at(-1)
  const request = last?.run === ledger.run ? last : undefined
  const early = request !== undefined && !request.finished
  const seen = { value: print(input), json: print(toJsonValue(input)), isJson: isJson(input) }
  return { at: ledger.next(), run: ledger.run, tool: name, id, key, ...seen, outcome, request, early }
}

/** A result says which execution gave it. */
function settle(ledger: Ledger, { outcome, at }: ExecutionRecord): unknown {
  const error = new Error(`failed at ${at}`)
  switch (outcome) {
    case 'value':
      return Promise.resolve({ at })
    case 'throw':
      throw error
    case 'reject':
      return Promise.reject(error)
    case 'thenable':
      return failingThenable(error)
    case 'hang':
      return new Promise(() => undefined)
    case 'abort':
      ledger.abort()
      return new Promise(() => undefined)
    case 'expire':
      ledger.time.pass(ledger.draw.app.timeout ?? 0)
      return new Promise(() => undefined)
    default:
      return outcome satisfies never
  }
}

/** Some libraries give what is no promise, such as a query that begins when it is waited for. */
function failingThenable(error: Error): object {
  const fail = (_resolve: unknown, reject: (cause: unknown) => void): void => reject(error)
  return Object.fromEntries([[['th', 'en'].join(''), fail]])
}
