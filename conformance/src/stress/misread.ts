import {
  canonicalJson,
  objectOf,
  textOf,
  type AssistantMessage,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { outputFailures, toolFailures } from '../judge/declared-checks.ts'
import { pairFailures } from '../judge/request-checks.ts'
import { parsed } from '../json.ts'
import type { RequestView } from '../request-view.ts'
import { wireKit } from '../wires/index.ts'
import type { StressCase } from './stressor.ts'
import { listsIn } from './parts-apart.ts'
import { pathsOf } from './requests/member-forms.ts'
import { theirTool, type RequestForm } from './requests/request-form.ts'

interface SentForm {
  readonly body: string | undefined
  readonly warnings: readonly Warning[]
  readonly error: unknown
}

/** The body is read as in any scenario: calls and results pair, and tools and schemas are declared, unless the caller's own words stand there. */
export function misread(
  { request, isOwn }: RequestForm,
  { body, warnings, error }: SentForm,
  { subject }: Pick<StressCase, 'subject'>,
): string | undefined {
  const readRequest = subject.readRequest ?? wireKit(subject.wire)?.readRequest
  if (readRequest === undefined || body === undefined || isOwn === true) return undefined
  const tools = request.tools?.filter((tool) => tool !== theirTool) ?? []
  const sentRequest = { view: readRequest(parsed(body)), body: parsed(body), toolNames: subject.toolNames }
  // Calls of before may have to be declared where there are no tools any more.
  const judges = tools.length > 0 ? [toolFailures, outputFailures] : [outputFailures]
  const turn = { request: { ...request, tools }, error }
  const failures = [...pairFailures(sentRequest.view), ...judges.flatMap((judge) => judge(sentRequest, turn, warnings))]
  const [failure = retold(sentRequest.view, request, warnings)] = failures.map(({ message }) => message)
  return failure ?? halfNamed(sentRequest, request, warnings) ?? shuffled(sentRequest, request)
}

/** Where one list has words and calls of a message apart, they stand in their order. */
function shuffled({ body }: { readonly body: unknown }, { messages }: TurnRequest): string | undefined {
  for (const message of messages) {
    const parts = message.role === 'assistant' ? message.content : []
    const said = parts.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      return part.type === 'tool-call' ? [textOf(objectOf(part.input)['sought']) ?? ''] : []
    })
    if (said.length < 3 || said.includes('')) continue
    const lists = listsIn(body).map((list) => list.map((item) => JSON.stringify(item)))
    const places = lists.map((items) => said.map((text) => items.findIndex((item) => item.includes(text))))
    const apart = places.find((some) => !some.includes(-1) && new Set(some).size === some.length)
    if (apart?.some((place, at) => place < (apart[at - 1] ?? 0)) === true)
      return `what was said in the order ${said.join(', ')} is sent in another one`
  }
  return undefined
}

/** Formats without a place for the name of an object have none for what is said of it either. */
function halfNamed(
  { body }: { readonly body: unknown },
  { responseFormat }: TurnRequest,
  warnings: readonly Warning[],
): string | undefined {
  const { name, description } = responseFormat ?? {}
  if (name === undefined || description === undefined || warnings.length > 0) return undefined
  const [lost, ...more] = [name, description].filter((text) => pathsOf(text, body).length === 0)
  return lost === undefined || more.length > 0
    ? undefined
    : `of the name and the description of the answer '${lost}' alone is not sent, and nobody is told`
}

/** Arguments of the calls that the provider did not run itself; `undefined` for one whose arguments were no object. */
function inputsOf({ content }: AssistantMessage): readonly (string | undefined)[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.owner === 'provider') return []
    return [part.invalid === undefined ? canonicalJson(part.input ?? null) : undefined]
  })
}

/** What arrives, and is not what it was. */
function retold({ items }: RequestView, { messages }: TurnRequest, warnings: readonly Warning[]): string | undefined {
  const systems = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  const asUser = items.find(
    (item) => item.type === 'user' && systems.some((text) => text.trim() !== '' && item.text.includes(text)),
  )
  if (asUser !== undefined && warnings.length === 0)
    return `a system message stands among the words of the user in ${asUser.path}, and nobody is told`
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []))
  const read = items.filter((item) => item.type === 'result')
  const other = results.findIndex(({ output }, at) => {
    const text = read[at]?.text
    return output.type === 'text' && output.value.trim() !== '' && text !== undefined && text !== output.value
  })
  if (other >= 0 && warnings.length === 0)
    return `a result reads ${read[other]?.text}, not ${String(results[other]?.output.value)}`
  const sent = items.flatMap((item) => (item.type === 'call' ? [canonicalJson(item.input ?? null)] : []))
  const due = messages.flatMap((message) => (message.role === 'assistant' ? inputsOf(message) : []))
  const changed = sent.find((input, at) => due[at] !== undefined && input !== due[at])
  if (sent.length === due.length && changed !== undefined && warnings.length === 0)
    return `a call goes back with the arguments ${changed}, which are not those that it came with, and nobody is told`
  const hasFailed = messages.some(
    (message) => message.role === 'tool' && message.content.some(({ output }) => output.type === 'error'),
  )
  const flagged = items.find((item) => item.type === 'result' && item.isError === true)
  return flagged === undefined || hasFailed
    ? undefined
    : `a result that is no error is flagged as one in ${flagged.path}`
}
