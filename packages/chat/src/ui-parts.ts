import type { Citation, FilePart, PendingCall, ToolCallPart, ToolOutput } from '@steploop/core'
import type { UiFile, UiRefusal, UiSource } from './chunks.ts'
import type { ErrorText } from './ui-texts.ts'

// What a stream and a stored message say in the same words.

/** How parts are shown; the same for the stream of a message and for the stored one. */
export interface UiPartOptions {
  /** What a page shows for errors. Default: the kind of error and its `code`, nothing of what is inside. */
  readonly errorText?: ErrorText | undefined
  /** Where a page gets a file that has no `url`. Default: a data URL with all of it. `undefined`: the file is not shown. */
  readonly fileUrl?: ((part: FilePart) => string | undefined) | undefined
  /** Tools whose names no page knows beforehand, as those of an MCP server: their parts are `dynamic-tool`. Default: none. */
  readonly isDynamic?: ((toolName: string) => boolean) | undefined
}

/** The id of an approval names the call and what was shown: another call, or the same with other arguments, has another. */
export function approvalIdOf({ toolCallId, hash = '' }: PendingCall): string {
  return `${toolCallId}.${hash}`
}

/** Nobody is shown what nobody has judged: going on from the transcript judges it. */
export function answerable(pendingCalls: readonly PendingCall[] = []): readonly PendingCall[] {
  return pendingCalls.filter(({ unjudged }) => unjudged !== true)
}

export type UiOutcome =
  | { readonly state: 'output-available'; readonly output: unknown }
  | { readonly state: 'output-error'; readonly errorText: string }
  | { readonly state: 'output-denied' }

export function outcomeOf(output: ToolOutput, errorText: ErrorText): UiOutcome {
  if (output.type !== 'error') return { state: 'output-available', output: output.value }
  if (output.value.code === 'denied') return { state: 'output-denied' }
  return { state: 'output-error', errorText: errorText(output.value) }
}

/** Why a call without usable arguments will not run. */
export function invalidText({ invalid = 'unparsable' }: ToolCallPart, errorText: ErrorText): string {
  const code = invalid === 'truncated' ? 'truncated-call' : 'unparsable-input'
  return errorText({ code, message: `The arguments are ${invalid}.` })
}

/** A link that a page may show as it is: a model, or a page that it read, can name any. */
function isHttp(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

/** Each source once, however often it is cited. */
export function sourcesOf(citations: readonly Citation[], step: number): readonly UiSource[] {
  const sources = new Map<string, UiSource>()
  for (const { url, title, citedText, kind } of citations) {
    const key = JSON.stringify([url, title, url === undefined ? citedText : undefined])
    if (sources.has(key)) continue
    const sourceId = `${step}.source-${sources.size}`
    if (url !== undefined && isHttp(url)) sources.set(key, { type: 'source-url', sourceId, url, title })
    else {
      const name = title ?? citedText ?? kind ?? 'source'
      sources.set(key, { type: 'source-document', sourceId, mediaType: 'text/plain', title: name })
    }
  }
  return [...sources.values()]
}

export function fileOf(part: Omit<FilePart, 'type'>, fileUrl: UiPartOptions['fileUrl']): UiFile | undefined {
  const { mediaType, data, url } = part
  const source =
    fileUrl === undefined ? (url ?? `data:${mediaType};base64,${data ?? ''}`) : fileUrl({ type: 'file', ...part })
  return source !== undefined && (isHttp(source) || /^(data|blob):|^\//i.test(source))
    ? { type: 'file', mediaType, url: source }
    : undefined
}

export function refusalOf(text: string): UiRefusal {
  return { type: 'data-refusal', data: { text } }
}
