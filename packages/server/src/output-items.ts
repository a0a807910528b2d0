import type { Citation } from '@steploop/core'
import { newId } from './ids.ts'
import type { JsonObject } from './json.ts'
import { customText } from './read-calls.ts'
import type { ToolView } from './read-tools.ts'

/** One item of the output while it is written. */
export interface OpenItem {
  readonly id: string
  readonly index: number
  /** Number of the step that it belongs to. */
  readonly step: number
  data: JsonObject
  done: boolean
  /** Call id of an item that shows a call. */
  callId?: string | undefined
}

export type EventData = JsonObject & { readonly type: string }

/** Writes events of one response, and keeps its items. */
export interface ItemLog {
  readonly items: OpenItem[]
  add(step: number, data: JsonObject & { readonly type: string }): OpenItem
  emit(event: EventData): void
  finish(item: OpenItem, data: JsonObject): void
  /** Takes back the items from number `from` on, which were not sent yet. */
  forget(from: number): void
}

/** `earlier`: items that are done, and told, already. */
export function createItemLog(emit: (event: EventData) => void, earlier: readonly JsonObject[] = []): ItemLog {
  const items = earlier.map((data, index): OpenItem => ({ id: String(data['id']), index, step: -1, data, done: true }))
  return {
    items,
    emit,
    add(step, data) {
      const id = newId(data.type)
      const item = { id, index: items.length, step, data: { ...data, id }, done: false }
      items.push(item)
      emit({ type: 'response.output_item.added', output_index: item.index, item: item.data })
      return item
    },
    finish(item, data) {
      item.data = { ...item.data, ...data }
      item.done = true
      emit({ type: 'response.output_item.done', output_index: item.index, item: item.data })
    },
    forget(from) {
      items.length = Math.min(items.length, from)
    },
  }
}

/** Where an event belongs. */
export function at(item: OpenItem): { readonly item_id: string; readonly output_index: number } {
  return { item_id: item.id, output_index: item.index }
}

/** A message: its content parts are the text slots of the turn that stand together. */
export interface MessageWriter {
  readonly item: OpenItem
  text(slot: number, delta: string): void
  refusal(slot: number, delta: string): void
  cite(slot: number, citation: Citation): void
  /** Whether a part with this slot has begun. */
  has(slot: number): boolean
  end(status: 'completed' | 'incomplete'): void
}

interface OpenPart {
  readonly slot: number
  readonly index: number
  readonly type: 'output_text' | 'refusal'
  text: string
  readonly annotations: JsonObject[]
  /** Citations that support the whole text, however long it gets. */
  readonly whole: Citation[]
}

export function writeMessage(log: ItemLog, step: number): MessageWriter {
  const item = log.add(step, { type: 'message', status: 'in_progress', role: 'assistant', content: [] })
  const parts: OpenPart[] = []
  const partFor = (slot: number, type: OpenPart['type']): OpenPart => {
    const known = parts.find((part) => part.slot === slot)
    if (known !== undefined) return known
    const made: OpenPart = { slot, index: parts.length, type, text: '', annotations: [], whole: [] }
    parts.push(made)
    log.emit({ type: 'response.content_part.added', ...at(item), content_index: made.index, part: partData(made) })
    return made
  }
  const write = (slot: number, type: OpenPart['type'], delta: string): void => {
    const part = partFor(slot, type)
    if (delta === '') return
    part.text += delta
    const location = { ...at(item), content_index: part.index, delta }
    log.emit({ type: `response.${type}.delta`, ...location, ...(type === 'output_text' && { logprobs: [] }) })
  }
  const annotate = (part: OpenPart, citation: Citation): void => {
    const annotation = annotationOf(citation, part.text)
    const location = { ...at(item), content_index: part.index, annotation_index: part.annotations.length }
    part.annotations.push(annotation)
    log.emit({ type: 'response.output_text.annotation.added', ...location, annotation })
  }
  return {
    item,
    text: (slot, delta) => write(slot, 'output_text', delta),
    refusal: (slot, delta) => write(slot, 'refusal', delta),
    has: (slot) => parts.some((part) => part.slot === slot),
    cite(slot, citation) {
      const part = partFor(slot, 'output_text')
      if (citation.endIndex === undefined) part.whole.push(citation)
      else annotate(part, citation)
    },
    end(status) {
      for (const part of parts) {
        for (const citation of part.whole) annotate(part, citation)
        const location = { ...at(item), content_index: part.index }
        const whole = part.type === 'refusal' ? { refusal: part.text } : { text: part.text, logprobs: [] }
        log.emit({ type: `response.${part.type}.done`, ...location, ...whole })
        log.emit({ type: 'response.content_part.done', ...location, part: partData(part) })
      }
      log.finish(item, { status, content: parts.map(partData) })
    },
  }
}

function partData({ type, text, annotations }: OpenPart): JsonObject {
  if (type === 'refusal') return { type, refusal: text }
  return { type, text, annotations: [...annotations], logprobs: [] }
}

function annotationOf({ kind, url, title, citedText, startIndex, endIndex }: Citation, text: string): JsonObject {
  if (kind === 'file')
    return { type: 'file_citation', file_id: url ?? '', filename: title ?? '', index: endIndex ?? text.length }
  const range = { start_index: startIndex ?? 0, end_index: endIndex ?? text.length }
  return { type: 'url_citation', url: url ?? '', title: title ?? citedText ?? '', ...range }
}

/** Reasoning: its text, if there is any, is one summary part. */
export interface ReasoningWriter {
  readonly item: OpenItem
  delta(text: string): void
  end(): void
  finish(sealed: string | undefined): void
}

export function writeReasoning(log: ItemLog, step: number): ReasoningWriter {
  const item = log.add(step, { type: 'reasoning', summary: [] })
  let text = ''
  let ended = false
  const location = { ...at(item), summary_index: 0 }
  return {
    item,
    delta(delta) {
      if (delta === '' || ended) return
      const part = { type: 'summary_text', text: '' }
      if (text === '') log.emit({ type: 'response.reasoning_summary_part.added', ...location, part })
      text += delta
      log.emit({ type: 'response.reasoning_summary_text.delta', ...location, delta })
    },
    end() {
      if (ended) return
      ended = true
      if (text === '') return
      log.emit({ type: 'response.reasoning_summary_text.done', ...location, text })
      log.emit({ type: 'response.reasoning_summary_part.done', ...location, part: { type: 'summary_text', text } })
    },
    finish(sealed) {
      this.end()
      const summary = text === '' ? [] : [{ type: 'summary_text', text }]
      log.finish(item, { summary, ...(sealed !== undefined && { encrypted_content: sealed }) })
    },
  }
}

/** A call of a tool that the client runs. */
export interface CallWriter {
  readonly item: OpenItem
  delta(inputText: string): void
  finish(inputText: string, status: 'completed' | 'incomplete'): void
}

export function writeClientCall(log: ItemLog, step: number, call: { id: string; view: ToolView }): CallWriter {
  const { id: call_id, view } = call
  const isCustom = view.kind === 'custom'
  const type = isCustom ? 'custom_tool_call' : 'function_call'
  const named = {
    call_id,
    name: view.name,
    ...(view.kind === 'function' && view.namespace && { namespace: view.namespace }),
  }
  const item = log.add(step, {
    type,
    status: 'in_progress',
    ...named,
    ...(isCustom ? { input: '' } : { arguments: '' }),
  })
  item.callId = call_id
  let streamed = ''
  return {
    item,
    delta(delta) {
      if (isCustom || delta === '') return
      streamed += delta
      log.emit({ type: 'response.function_call_arguments.delta', ...at(item), delta })
    },
    finish(inputText, status) {
      if (isCustom) {
        const input = customText(inputText)
        log.emit({ type: 'response.custom_tool_call_input.delta', ...at(item), delta: input })
        log.emit({ type: 'response.custom_tool_call_input.done', ...at(item), input })
        return log.finish(item, { status, input })
      }
      // What did not come in pieces comes as one: deltas add up to the whole.
      const text = inputText === '' ? '{}' : inputText
      const rest = text.startsWith(streamed) ? text.slice(streamed.length) : ''
      if (rest !== '') log.emit({ type: 'response.function_call_arguments.delta', ...at(item), delta: rest })
      const name = view.name
      log.emit({ type: 'response.function_call_arguments.done', ...at(item), name, arguments: text })
      return log.finish(item, { status, arguments: text })
    },
  }
}
