import { seal } from '../../simulate/seal.ts'
import type { ScriptedProviderCall } from '../../simulate/scripted-answer.ts'
import type { JsonObject } from '../../simulate/wire-simulation.ts'

/** A call that Anthropic runs itself; its input comes in deltas, as that of any call. */
export interface ServerCall {
  readonly type: 'server_tool_use'
  readonly id: string
  readonly name: string
  readonly inputText: string
}

/** Result of a server tool, which comes whole (docs/wire.md#anthropic-whole-blocks). */
export interface ServerResult {
  readonly type: 'server-result'
  readonly block: JsonObject
}

/** https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool and .../code-execution-tool */
export function serverBlocks(call: ScriptedProviderCall, suffix: string): readonly [ServerCall, ServerResult] {
  const id = `srvtoolu_${suffix}`
  const isSearch = call.tool === 'search'
  const name = isSearch ? 'web_search' : 'bash_code_execution'
  const input = isSearch ? { query: call.text } : { command: call.text }
  const content = call.fails ? failed(name) : isSearch ? [found(call)] : printed(call)
  return [
    { type: 'server_tool_use', id, name, inputText: JSON.stringify(input) },
    { type: 'server-result', block: { type: `${name}_tool_result`, tool_use_id: id, content } },
  ]
}

function failed(name: string): JsonObject {
  return { type: `${name}_tool_result_error`, error_code: 'unavailable' }
}

/** The page itself is sealed, and has to come back so. */
function found({ text, output }: ScriptedProviderCall): JsonObject {
  const url = `https://example.com/?q=${encodeURIComponent(text)}`
  const encrypted_content = seal('EqSim', 'page', url, output)
  return { type: 'web_search_result', title: output, url, encrypted_content, page_age: null }
}

function printed({ output }: ScriptedProviderCall): JsonObject {
  return { type: 'bash_code_execution_result', stdout: output, stderr: '', return_code: 0, content: [] }
}
