import { z } from 'zod'

import { anyOfTypes, byKey } from '../../simulate/by-key.ts'
import { wordsIn } from '../../simulate/words.ts'

const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish()
const phase = z.enum(['commentary', 'final_answer']).nullish()
const cacheBreakpoint = z.strictObject({ mode: z.literal('explicit') }).optional()
const callId = z.string().min(1).max(64)

/** Ids of items tell their kind by their first letters. */
const itemId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}`))

const inputText = {
  text: z.string(),
  prompt_cache_breakpoint: cacheBreakpoint,
}
const inputImage = {
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  detail: z.enum(['low', 'high', 'auto', 'original']).nullish(),
  prompt_cache_breakpoint: cacheBreakpoint,
}
const inputFile = {
  file_id: z.string().nullish(),
  file_url: z.string().optional(),
  file_data: z.string().optional(),
  filename: z.string().optional(),
  prompt_cache_breakpoint: cacheBreakpoint,
}
const location = { start_index: z.number(), end_index: z.number() }
const annotation = byKey({
  url_citation: {
    url: z.string(),
    title: z.string().optional(),
    start_index: z.number().optional(),
    end_index: z.number().optional(),
  },
  file_citation: { file_id: z.string(), filename: z.string().optional(), index: z.number() },
  container_file_citation: { container_id: z.string(), file_id: z.string(), filename: z.string(), ...location },
  file_path: { file_id: z.string(), index: z.number() },
})
const outputText = {
  text: z.string(),
  annotations: z.array(annotation).optional(),
  logprobs: z.array(z.unknown()).nullish(),
}

const inputContent = z.union([
  z.string(),
  z.array(byKey({ input_text: inputText, input_image: inputImage, input_file: inputFile })).min(1),
])
const outputContent = z.union([
  z.string(),
  z.array(byKey({ output_text: outputText, refusal: { refusal: z.string() } })).min(1),
])

const inputMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'system', 'developer']),
  content: inputContent,
  id: z.string().optional(),
  status,
})
const outputMessage = (ids: boolean) =>
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.literal('assistant'),
    content: outputContent,
    id: (ids ? itemId('msg') : z.string()).optional(),
    status,
    phase,
  })
const message = (ids: boolean) =>
  byKey(
    { user: inputMessage, system: inputMessage, developer: inputMessage, assistant: outputMessage(ids) },
    { key: 'role' },
  )

const reasoning = (ids: boolean) => ({
  id: ids ? itemId('rs') : z.string(),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })).nullish(),
  encrypted_content: z.string().nullish(),
  status,
})

const caller = byKey({
  direct: {},
  program: { caller_id: z.string() },
}).nullish()

const functionCall = (ids: boolean) => ({
  id: (ids ? itemId('fc') : z.string()).optional(),
  call_id: callId,
  name: z.string().min(1).max(128),
  namespace: z.string().optional(),
  caller,
  async: z.boolean().nullish(),
  arguments: z.string(),
  status,
})
const functionCallOutput = {
  id: z.string().nullish(),
  call_id: callId,
  output: inputContent,
  caller,
  status,
}

const customCall = {
  id: z.string().optional(),
  call_id: callId,
  name: z.string(),
  namespace: z.string().optional(),
  input: z.string(),
  status,
}

const toolSearchCall = {
  id: z.string().nullish(),
  call_id: z.string().nullish(),
  execution: z.enum(['client', 'server']).optional(),
  arguments: z.unknown(),
  status,
}
const toolSearchOutput = {
  id: z.string().nullish(),
  call_id: z.string().nullish(),
  execution: z.enum(['client', 'server']).optional(),
  tools: z.array(z.looseObject({ type: z.string() })),
  status,
}

/** Items of hosted tools come back as they were given; the provider made them, so their inside is not looked at. */
const hostedItems = wordsIn(`
  additional_tools apply_patch_call apply_patch_call_output code_interpreter_call compaction compaction_trigger
  computer_call computer_call_output configuration_update file_search_call image_generation_call local_shell_call
  local_shell_call_output mcp_approval_request mcp_approval_response mcp_call mcp_list_tools program
  program_output shell_call shell_call_output web_search_call
`)

/**
 * One input item. `ids: false` for providers whose item ids have no prefix.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export function itemSchema(ids: boolean): z.ZodType {
  return byKey(
    {
      message: message(ids),
      reasoning: reasoning(ids),
      function_call: functionCall(ids),
      function_call_output: functionCallOutput,
      custom_tool_call: customCall,
      custom_tool_call_output: functionCallOutput,
      tool_search_call: toolSearchCall,
      tool_search_output: toolSearchOutput,
      item_reference: { id: z.string() },
      ...anyOfTypes(hostedItems),
    },
    { absent: 'message' },
  )
}
