const prefixes = {
  response: 'resp',
  conversation: 'conv',
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  mcp_call: 'mcp',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcpa',
  web_search_call: 'ws',
  file_search_call: 'fs',
} as const satisfies Readonly<Record<string, string>>

/** An id that cannot be guessed, with the prefix that the API gives to its kind. */
export function newId(kind: string): string {
  const prefix = Object.hasOwn(prefixes, kind) ? prefixes[kind as keyof typeof prefixes] : 'item'
  return `${prefix}_${crypto.randomUUID().replaceAll('-', '')}${crypto.randomUUID().slice(0, 8)}`
}
