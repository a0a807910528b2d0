import { z } from 'zod'

import { byKey } from '../../simulate/by-key.ts'
import { wordsIn } from '../../simulate/words.ts'

export const cacheControl = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish()

const id = z.string().regex(/^[a-zA-Z0-9_-]+$/)

/** Who called a tool: the model, or code that ran at the provider. */
const caller = byKey(
  { direct: {} },
  {
    other: (type) =>
      /^code_execution_\d{8}$/.test(type) ? z.strictObject({ type: z.string(), tool_id: z.string() }) : undefined,
  },
).optional()

const ofDocument = { cited_text: z.string(), document_index: z.number(), document_title: z.string().nullish() }

/** Citations as requests have them: answers also name the `file_id` of a document, and that is refused here. */
const citation = byKey({
  char_location: { ...ofDocument, start_char_index: z.number(), end_char_index: z.number() },
  page_location: { ...ofDocument, start_page_number: z.number(), end_page_number: z.number() },
  content_block_location: { ...ofDocument, start_block_index: z.number(), end_block_index: z.number() },
  web_search_result_location: {
    cited_text: z.string(),
    encrypted_index: z.string(),
    title: z.string().nullable(),
    url: z.string(),
  },
  search_result_location: {
    cited_text: z.string(),
    search_result_index: z.number(),
    source: z.string(),
    title: z.string().nullable(),
    start_block_index: z.number(),
    end_block_index: z.number(),
  },
})

export const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: cacheControl,
  citations: z.array(citation).nullish(),
})

const base64 = z.string().min(1)
const stored = { url: { url: z.string().min(1) }, file: { file_id: z.string() } }

const imageBlock = {
  source: byKey({
    base64: { media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']), data: base64 },
    ...stored,
  }),
  cache_control: cacheControl,
}

const documentBlock = {
  source: byKey({
    base64: { media_type: z.literal('application/pdf'), data: base64 },
    text: { media_type: z.literal('text/plain'), data: z.string() },
    content: { content: z.unknown() },
    ...stored,
  }),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean().optional() }).nullish(),
  cache_control: cacheControl,
}

const searchResultBlock = {
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock).min(1),
  citations: z.strictObject({ enabled: z.boolean().optional() }).optional(),
  cache_control: cacheControl,
}

const toolResult = {
  tool_use_id: id,
  content: z
    .union([
      z.string(),
      z.array(
        byKey({
          text: textBlock,
          image: imageBlock,
          document: documentBlock,
          search_result: searchResultBlock,
          tool_reference: { tool_name: z.string(), cache_control: cacheControl },
        }),
      ),
    ])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
}

const toolUse = {
  id,
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
  caller,
}

/** Results of tools that the provider ran: made by the provider, so their inside is hardly looked at. */
const serverResults = wordsIn(`
  advisor_tool_result bash_code_execution_tool_result code_execution_tool_result mcp_tool_result
  text_editor_code_execution_tool_result tool_search_tool_result web_fetch_tool_result web_search_tool_result
`)
const typed = z.looseObject({ type: z.string(), url: z.string().nullish(), title: z.string().nullish() })
const serverResult = (type: string) => ({
  tool_use_id: id,
  content: type === 'mcp_tool_result' ? z.unknown() : z.union([typed, z.array(typed)]),
  is_error: z.boolean().optional(),
  caller,
  cache_control: cacheControl,
})

/** Content blocks that each role may send. https://docs.claude.com/en/api/messages */
export const contentByRole = {
  user: byKey({
    text: textBlock,
    image: imageBlock,
    document: documentBlock,
    search_result: searchResultBlock,
    tool_result: toolResult,
    container_upload: { file_id: z.string(), cache_control: cacheControl },
  }),
  assistant: byKey({
    text: textBlock,
    thinking: { thinking: z.string(), signature: z.string() },
    redacted_thinking: { data: z.string().min(1) },
    tool_use: toolUse,
    server_tool_use: toolUse,
    mcp_tool_use: { ...toolUse, server_name: z.string() },
    compaction: {
      content: z.string().nullish(),
      encrypted_content: z.string().nullish(),
      cache_control: cacheControl,
    },
    ...Object.fromEntries(serverResults.map((type) => [type, serverResult(type)])),
  }),
  system: byKey({ text: textBlock, tool_addition: { tool: z.looseObject({ type: z.string() }) } }),
}
