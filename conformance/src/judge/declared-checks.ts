import { isObject, type FunctionToolDefinition, type JsonObject, type Warning } from '@steploop/core/adapter'
import type { Check, Failure } from '../check.ts'
import type { Evidence, SentRequest, SubjectFacts, TurnRecord } from '../evidence.ts'
import { canonicalJson } from '../json.ts'
import type { RequestView, ToolView } from '../request-view.ts'
import { unread } from './request-checks.ts'
import { schemaLosses } from './schema-losses.ts'
import { isPlain } from './wire-names.ts'

/** The model learns of a tool what the caller said of it: providers refuse hardly anything of this, they only answer worse. */
export const toolsAsDeclared: Check = {
  id: 'tools-as-declared',
  sentence:
    'Every body declares each tool with its name (a cleaned one where it is not plain), its description, its whole schema and `strict`, and tools of the provider word by word; what the provider has no word for is reported in a warning.',
  notSeen: unread,
  judge: (evidence) => eachRequest(evidence, toolFailures),
}

export const outputAsDeclared: Check = {
  id: 'output-as-declared',
  sentence:
    'A body that asks for an object holds its whole schema; what the provider has no word for is reported in a warning.',
  notSeen: unread,
  judge: (evidence) => eachRequest(evidence, outputFailures),
}

interface ReadRequest extends Pick<SentRequest, 'body'>, Pick<SubjectFacts, 'toolNames'> {
  readonly view: RequestView
}

type AskedTurn = Pick<TurnRecord, 'request' | 'error'>

type Judge = (sent: ReadRequest, turn: AskedTurn, warnings: readonly Warning[]) => readonly Failure[]

function eachRequest({ runs, subject }: Evidence, judge: Judge): readonly Failure[] {
  return runs.flatMap(({ number, requests, turns }) =>
    requests.flatMap(({ view, body }, index) => {
      const turn = turns[index]
      if (view === undefined || turn === undefined) return []
      const warnings = turn.events.flatMap((event) => (event.type === 'turn-start' ? (event.warnings ?? []) : []))
      const where = `run ${number}, request ${index + 1}`
      return judge({ view, body, toolNames: subject.toolNames }, turn, warnings).map(({ message }) => ({
        message,
        where,
      }))
    }),
  )
}

export function outputFailures(
  { view }: ReadRequest,
  { request: { responseFormat }, error }: AskedTurn,
  warnings: readonly Warning[],
): readonly Failure[] {
  if (responseFormat === undefined) return []
  const about = warnings.filter(({ path }) => /^(?:responseFormat|output)/.test(path))
  if (view.outputSchema === undefined) {
    const isReported = error !== undefined || about.length > 0
    return isReported ? [] : [{ message: 'the body asks for no object of a schema, and no warning says so' }]
  }
  return unreported(responseFormat.schema, view.outputSchema, about).map((message) => ({
    message: `the schema of the answer is not the one that was given: ${message}`,
  }))
}

export function toolFailures(
  { view, body, toolNames }: ReadRequest,
  { request, error }: AskedTurn,
  warnings: readonly Warning[],
): readonly Failure[] {
  const lost = (request.tools ?? []).flatMap((tool) =>
    tool.type === 'provider' && !holds(body, tool.definition)
      ? [{ message: `the tool '${tool.name}' of the provider is not declared as it was given` }]
      : [],
  )
  const declared = (request.tools ?? []).filter((tool) => tool.type === 'function')
  const sent = view.tools.filter(({ inputSchema }) => inputSchema !== undefined)
  // Formats without a word for `none` leave the tools out, which says that none may be called.
  if (sent.length === 0 && (request.toolChoice === 'none' || declared.length === 0)) return lost
  // Warnings come with the answer, and a turn that failed has none.
  const about = error === undefined ? warnings.filter(({ path }) => path.startsWith('tools')) : undefined
  const failures = declared.flatMap((tool, at) => {
    const own = sent.find(({ name }) => name === tool.name) ?? sent[at]
    return own === undefined
      ? [`the tool '${tool.name}' is not declared`]
      : toolDifferences(tool, own, about, toolNames)
  })
  const more =
    sent.length > declared.length ? [`it declares ${sent.length} tools, and ${declared.length} were given`] : []
  const alike = sent.filter(({ name }, at) => sent.findIndex((one) => one.name === name) < at)
  const twice = alike.map(({ name }) => `two tools are called '${name}': a call of one would run the other`)
  return [...lost, ...[...failures, ...more, ...twice].map((message) => ({ message }))]
}

/** Whether an object with all these members stands anywhere in a value. */
function holds(value: unknown, wanted: JsonObject): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, wanted))
  if (!isObject(value)) return false
  const isWhole = Object.entries(wanted).every(([name, member]) => canonicalJson(value[name]) === canonicalJson(member))
  return isWhole || Object.values(value).some((member) => holds(member, wanted))
}

function toolDifferences(
  tool: FunctionToolDefinition,
  sent: ToolView,
  warnings: readonly Warning[] | undefined,
  toolNames: RegExp | undefined,
): readonly string[] {
  const isReported = (word: string): boolean =>
    warnings === undefined || warnings.some(({ path, message }) => `${path} ${message}`.includes(word))
  const of = `the tool '${tool.name}'`
  const description = tool.description ?? ''
  return [
    ...(sent.name === tool.name || !isPlain(tool.name, { toolNames }) ? [] : [`${of} is called '${sent.name}'`]),
    ...(toolNames === undefined || isPlain(sent.name, { toolNames })
      ? []
      : [`${of} is called '${sent.name}', a name that the provider does not take`]),
    ...(sent.description?.includes(description) === true || description === ''
      ? []
      : [`${of} has the description ${JSON.stringify(sent.description)} instead of ${JSON.stringify(description)}`]),
    ...(tool.strict !== true || sent.strict || isReported('strict')
      ? []
      : [`${of} is to be enforced by the provider (\`strict\`); it is not, and no warning says so`]),
    ...unreported(tool.inputSchema, sent.inputSchema, warnings).map(
      (message) => `${of} has another schema: ${message}`,
    ),
  ]
}

/** What a schema lost on its way without a warning that names the keyword. */
function unreported(declared: unknown, sent: unknown, warnings: readonly Warning[] | undefined): readonly string[] {
  if (warnings === undefined) return []
  return schemaLosses(declared, sent)
    .filter(({ keyword }) => !warnings.some(({ message }) => message.includes(keyword)))
    .map(({ message }) => message)
}
