import type { Cassette } from '@steploop/cassette'
import {
  paint,
  type Paint,
  canonicalJson,
  type ResponsePart,
  type ResponseUsage,
  type ResponseView,
} from '@steploop/conformance/cli'
import type { ConversationItem, RequestView } from '@steploop/conformance/simulator'
import { exchangeViews, type ExchangeView } from './exchange-view.ts'
import { printable } from './printable.ts'

export interface PrintOptions {
  /** Default: none. */
  readonly colours?: boolean | undefined
  /** Longest text shown, in characters. Default: 600. */
  readonly limit?: number | undefined
}

interface Printer {
  readonly paint: Paint
  readonly limit: number
}

/**
 * A cassette as a conversation: who said what, calls with their results, reasoning, usage and errors. Of the history that each request
 * repeats only what is new is shown. Control characters of recorded texts never reach the terminal.
 */
export function printConversation(cassette: Cassette, options: PrintOptions = {}): string {
  const printer: Printer = { paint: paint(options.colours), limit: options.limit ?? 600 }
  const views = exchangeViews(cassette)
  const blocks = views.map((view, index) => exchangeBlock(view, views[index - 1], printer))
  return `${[titleOf(cassette, printer), ...blocks].join('\n\n')}\n`
}

function titleOf({ header, exchanges }: Cassette, { paint: { strong, faint } }: Printer): string {
  const { scenario, mode, provider, wire, model, origin, mask } = header
  const facts = `${mode}, ${exchanges.length} ${exchanges.length === 1 ? 'exchange' : 'exchanges'}, ${provider} (${wire}), ${model}`
  const lines = [
    `${origin.kind} on ${origin.date} by ${origin.by}`,
    origin.source === undefined ? undefined : `source: ${origin.source} (${origin.licence ?? 'no licence named'})`,
    origin.recipe === undefined ? undefined : `recipe: ${origin.recipe}`,
    origin.guessed === undefined ? undefined : `guessed: ${origin.guessed}`,
    mask === undefined ? undefined : `masked: ${mask.join(' ')}`,
  ]
  const shown = lines.flatMap((line) => (line === undefined ? [] : [faint(printable(line))]))
  return [`${strong(printable(scenario))}  ${printable(facts)}`, ...shown].join('\n')
}

function exchangeBlock(view: ExchangeView, before: ExchangeView | undefined, printer: Printer): string {
  const { strong, faint, bad, good } = printer.paint
  const status = view.status === 0 ? bad('no response') : (view.status < 400 ? good : bad)(String(view.status))
  const ending = view.ending === 'eof' ? '' : `, ${bad(`ends with ${view.ending}`)}`
  const size = `${view.mode}, ${view.bytes} bytes in ${view.chunks} ${view.chunks === 1 ? 'chunk' : 'chunks'}`
  return [
    `${strong(`${view.number}`)} ${strong(view.method)} ${printable(view.url)}`,
    ...requestLines(view, before, printer),
    `  ${faint('-->')} ${status} ${faint(size)}${ending}`,
    ...responseLines(view, printer),
  ].join('\n')
}

function requestLines({ request }: ExchangeView, before: ExchangeView | undefined, printer: Printer): string[] {
  if (request === undefined)
    return [printLine('request', 'not readable as a conversation; see --raw', printer, 'faint')]
  const known = before?.request
  const same = known !== undefined && known.instructions === request.instructions
  const tools = namesOf(request)
  const sameTools = known !== undefined && namesOf(known).join() === tools.join()
  const items = newItems(request.items, before)
  const skipped = request.items.length - items.length
  return [
    ...(same || request.instructions === undefined
      ? []
      : [printLine('system', request.instructions, printer, 'notable')]),
    ...(sameTools || tools.length === 0 ? [] : [printLine('tools', tools.join(', '), printer, 'faint')]),
    ...(request.continuation === undefined ? [] : [printLine('continues', request.continuation, printer, 'faint')]),
    ...(skipped === 0 ? [] : [printLine('', `(${skipped} earlier)`, printer, 'faint')]),
    ...items.map((item) => itemLine(item, printer)),
  ]
}

function namesOf({ tools }: RequestView): readonly string[] {
  return tools.map(({ name }) => name).filter((name) => name !== '')
}

/** The items behind those that the request before had, and behind what its response said. */
function newItems(items: readonly ConversationItem[], before: ExchangeView | undefined): readonly ConversationItem[] {
  const known = before?.request?.items ?? []
  const isKnown = known.every((item, index) => sameItem(item, items[index]))
  if (!isKnown) return items
  const rest = items.slice(known.length)
  const first = rest.findIndex((item) => !isAnswer(item, before))
  return first === -1 ? [] : rest.slice(first)
}

function sameItem(one: ConversationItem, other: ConversationItem | undefined): boolean {
  return other !== undefined && canonicalJson({ ...one, path: '' }) === canonicalJson({ ...other, path: '' })
}

/** Whether the item repeats what the response before said. */
function isAnswer(item: ConversationItem, before: ExchangeView | undefined): boolean {
  const parts = before?.response?.parts ?? []
  switch (item.type) {
    case 'call':
      return parts.some((part) => part.type === 'call' && (part.id === item.id || part.toolName === item.toolName))
    case 'text':
      return parts.some((part) => part.type === 'text' && part.text.includes(item.text))
    case 'other':
      return before !== undefined
    case 'user':
    case 'result':
      return false
    default:
      return item satisfies never
  }
}

function itemLine(item: ConversationItem, printer: Printer): string {
  switch (item.type) {
    case 'user':
      return printLine('user', item.text, printer, 'strong')
    case 'text':
      return printLine('assistant', item.text, printer)
    case 'call':
      return printLine('call', `${item.toolName} ${inputText(item.input)}  ${item.id}`, printer, 'notable')
    case 'result':
      return printLine('result', `${item.id}  ${item.text}`, printer)
    case 'other':
      return printLine(item.kind, '(shown by --raw)', printer, 'faint')
    default:
      return item satisfies never
  }
}

function responseLines({ response, bytes }: ExchangeView, printer: Printer): string[] {
  if (response === undefined) {
    return bytes === 0 ? [] : [printLine('response', 'not readable as a conversation; see --raw', printer, 'faint')]
  }
  return [
    ...response.parts.map((part) => partLine(part, printer)),
    ...(response.error === undefined ? [] : [printLine('error', response.error, printer, 'bad')]),
    ...finishLines(response, printer),
    ...(response.usage === undefined ? [] : [printLine('usage', usageText(response.usage), printer, 'faint')]),
  ]
}

function finishLines({ finish, error }: ResponseView, printer: Printer): string[] {
  if (finish !== undefined) return [printLine('finish', finish, printer, 'faint')]
  return error === undefined ? [printLine('finish', 'none: the response is cut', printer, 'bad')] : []
}

function partLine(part: ResponsePart, printer: Printer): string {
  switch (part.type) {
    case 'text':
      return printLine('assistant', part.text, printer)
    case 'reasoning':
      return printLine('reasoning', part.text, printer, 'faint')
    case 'refusal':
      return printLine('refusal', part.text, printer, 'bad')
    case 'call':
      return printLine('call', `${part.toolName} ${inputText(part.input)}  ${part.id}`, printer, 'notable')
    case 'other':
      return printLine(part.kind, '(shown by --raw)', printer, 'faint')
    default:
      return part satisfies never
  }
}

const inputText = (input: unknown): string => (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''))

function usageText({ input, output, cached, reasoning }: ResponseUsage): string {
  const side = (count: number | undefined, name: string, part: number | undefined, partName: string): string =>
    `${count ?? '?'} ${name}${part ? ` (${part} ${partName})` : ''}`
  return `${side(input, 'in', cached, 'cached')}, ${side(output, 'out', reasoning, 'reasoning')}`
}

const labelWidth = 10

function printLine(label: string, text: string, { paint: colours, limit }: Printer, colour?: keyof Paint): string {
  const short = text.length > limit ? `${text.slice(0, limit)} ... (${text.length - limit} more characters)` : text
  const indented = printable(short)
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(labelWidth + 3)}`)
  const shown = colour === undefined ? indented : colours[colour](indented)
  return `  ${colours.faint(printable(label).padEnd(labelWidth))} ${shown}`.trimEnd()
}
