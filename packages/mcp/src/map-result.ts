import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { FilePart, TextPart, ToolOutput } from '@steploop/core'

type Block = TextPart | FilePart

/** What became of a call: what the model sees, and what only readers of events do. */
export interface MappedResult {
  readonly output: ToolOutput
  readonly forUser: readonly Block[]
}

export interface MapOptions {
  /** Named in errors. */
  readonly server: string
  /** What is wrong with `structuredContent`, by the tool's `outputSchema`. */
  readonly problem?: string | undefined
}

export function mapResult(result: CallToolResult, { server, problem }: MapOptions): MappedResult {
  const { structuredContent, isError } = result
  const forModel: Block[] = []
  const forUser: Block[] = []
  for (const block of result.content) (isForUser(block) ? forUser : forModel).push(blockOf(block))
  const hasFiles = forModel.some(({ type }) => type === 'file')
  if (isError === true) {
    const message = textOf(forModel) || textOf(forUser) || 'The tool failed without a message.'
    const structured = structuredContent === undefined ? {} : { structured: structuredContent }
    return { output: failed(message, { server, ...structured }), forUser }
  }
  if (problem !== undefined) {
    const message = `The tool gave data that is not what it promises: ${problem}`
    return { output: failed(message, { server }), forUser }
  }
  if (structuredContent !== undefined) {
    if (!hasFiles) return { output: { type: 'json', value: structuredContent }, forUser }
    const json: TextPart = { type: 'text', text: JSON.stringify(structuredContent) }
    return { output: { type: 'content', value: [json, ...forModel.filter(({ type }) => type === 'file')] }, forUser }
  }
  if (hasFiles) return { output: { type: 'content', value: forModel }, forUser }
  const forUserOnly = forModel.length === 0 && forUser.length > 0
  return {
    output: { type: 'text', value: forUserOnly ? 'The result is for the user alone.' : textOf(forModel) },
    forUser,
  }
}

export function failed(message: string, details: Readonly<Record<string, unknown>>): ToolOutput {
  return { type: 'error', value: { code: 'tool-failed', message, ...details } }
}

function isForUser({ annotations }: ContentBlock): boolean {
  const audience = annotations?.audience
  return audience?.length === 1 && audience[0] === 'user'
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
}

/** What is no media type would be refused by a provider, with the whole request. */
function mediaTypeOf(mimeType: string | undefined): string {
  return mimeType !== undefined && /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/.test(mimeType)
    ? mimeType
    : 'application/octet-stream'
}

function blockOf(block: ContentBlock): Block {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: 'file', mediaType: mediaTypeOf(block.mimeType), data: block.data }
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return { type: 'text', text: `${resource.uri}\n${resource.text}` }
      const filename = resource.uri.split(/[?#]/)[0]?.split('/').at(-1)
      const mediaType = mediaTypeOf(resource.mimeType)
      return { type: 'file', mediaType, data: resource.blob, ...(filename && { filename }) }
    }
    case 'resource_link': {
      const { name, uri, mimeType } = block
      return { type: 'text', text: `${name}: ${uri}${mimeType === undefined ? '' : ` (${mimeType})`}` }
    }
    default:
      return block satisfies never
  }
}
