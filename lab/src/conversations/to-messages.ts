import {
  isObject,
  type AssistantPart,
  type FilePart,
  type Message,
  type ToolOutput,
  type UserPart,
} from '@steploop/core/adapter'
import {
  canonicalJson,
  isModels,
  type CallItem,
  type Item,
  type ResultItem,
  type SentFile,
} from '@steploop/conformance/cli'

/** What a recorded request says, as the messages that an application gives to the loop. Blocks of the provider have no such form. */
export function messagesOf(items: readonly Item[]): Message[] {
  const messages: Message[] = []
  const calls: KnownCall[] = []
  for (const run of runsOf(items)) {
    const [first] = run
    if (first === undefined) continue
    if (first.type === 'system') messages.push({ role: 'system', content: first.text })
    else if (first.type === 'result')
      messages.push({ role: 'tool', content: run.flatMap((item) => resultPart(item, calls)) })
    else if (isModels(first))
      messages.push({ role: 'assistant', content: run.flatMap((item) => modelPart(item, calls)) })
    else messages.push({ role: 'user', content: userContent(run) })
  }
  return messages.filter(({ role, content }) => content.length > 0 || (role === 'user' && typeof content === 'string'))
}

/** Items that become one message: of the model, results, of the user; each system prompt alone. */
function runsOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const kindOf = (item: Item): string =>
    isModels(item) ? 'model' : item.type === 'result' || item.type === 'system' ? item.type : 'user'
  const runs: Item[][] = []
  for (const item of items) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (last !== undefined && before !== undefined && item.type !== 'system' && kindOf(before) === kindOf(item))
      last.push(item)
    else runs.push([item])
  }
  return runs
}

interface KnownCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly id: string | undefined
  answered: boolean
}

/** A lone text is a string. */
function userContent(items: readonly Item[]): string | readonly UserPart[] {
  const [only, ...others] = items
  if (only?.type === 'user' && others.length === 0) return only.text
  return items.flatMap((item): readonly UserPart[] => {
    if (item.type === 'user') return [{ type: 'text', text: item.text }]
    return item.type === 'file' ? [filePart(item.file)] : []
  })
}

function filePart({ mediaType = 'application/octet-stream', ...file }: SentFile): FilePart {
  return { type: 'file', mediaType, ...file }
}

function modelPart(item: Item, calls: KnownCall[]): readonly AssistantPart[] {
  switch (item.type) {
    case 'text':
      return [{ type: 'text', text: item.text }]
    case 'refusal':
      return [{ type: 'refusal', text: item.text }]
    case 'reasoning':
      return [{ type: 'reasoning', text: item.text }]
    case 'call':
      return [callPart(item, calls)]
    case 'file':
      return [filePart(item.file)]
    case 'block':
    case 'result':
    case 'system':
    case 'user':
    default:
      return []
  }
}

function callPart({ id, toolName, input }: CallItem, calls: KnownCall[]): AssistantPart {
  const toolCallId = id ?? `earlier_${calls.length}`
  calls.push({ toolCallId, toolName, id, answered: false })
  const inputText = typeof input === 'string' ? input : JSON.stringify(input)
  return { type: 'tool-call', toolCallId, toolName, input, inputText, owner: 'client' }
}

function resultPart(item: Item, calls: KnownCall[]): Extract<Message, { role: 'tool' }>['content'] {
  if (item.type !== 'result') return []
  const call = calls.find((known) => {
    if (known.answered) return false
    return item.id === undefined
      ? item.toolName === undefined || known.toolName === item.toolName
      : known.id === item.id
  })
  if (call !== undefined) call.answered = true
  const toolCallId = call?.toolCallId ?? item.id ?? 'unknown'
  const toolName = call?.toolName ?? item.toolName ?? 'unknown'
  return [{ type: 'tool-result', toolCallId, toolName, output: outputOf(item) }]
}

/** The recorded result in the form that a tool gives. */
export function outputOf({ output, files }: Pick<ResultItem, 'output' | 'files'>): ToolOutput {
  const text = typeof output === 'string' ? output : undefined
  if (files.length > 0) {
    const said: readonly UserPart[] = text === undefined || text === '' ? [] : [{ type: 'text', text }]
    return { type: 'content', value: [...said, ...files.map((file) => filePart(file))] }
  }
  return text === undefined ? { type: 'json', value: output } : { type: 'text', value: text }
}

/** What an output says, for comparing: the object that a text holds, if it holds one. */
export function outputKey(output: unknown): string {
  return isObject(output) || Array.isArray(output) ? canonicalJson(output) : String(output)
}
