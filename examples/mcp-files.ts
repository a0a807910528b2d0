import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StepLoop, type ToolAnswer } from '@steploop/core'
import { connectMcp } from '@steploop/mcp/stdio'
import type { ExampleContext } from './example.ts'

/** In your own program: `{ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }`. */
const folder = '../packages/mcp/node_modules/@modelcontextprotocol/server-filesystem/'
const server = fileURLToPath(new URL(`${folder}dist/index.js`, import.meta.url))

/** The tools of an MCP server that is a process of its own. What may destroy something waits for the person at the terminal. */
export async function mcpFiles({ model, print, ask }: ExampleContext): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), 'mcp-files-'))
  await writeFile(join(cwd, 'shopping.txt'), 'milk\nbread\nmilk\n')
  try {
    await using files = await connectMcp({ command: process.execPath, args: [server, '.'], cwd })
    const activeTools = ['list_directory', 'read_text_file', 'write_file']
    const loop = new StepLoop({ model, tools: await files.tools(), activeTools })
    let result = await loop.generate('Is anything on my list twice? Put it right.')
    while (result.status === 'requires-action') {
      const { transcript } = result
      const toolOutputs: Record<string, ToolAnswer> = {}
      for (const { toolCallId, toolName, input } of transcript.pendingCalls) {
        const answer = await ask(`Run ${toolName} ${JSON.stringify(input)}? [y/n] `)
        toolOutputs[toolCallId] = { approved: answer.toLowerCase().startsWith('y') }
      }
      result = await loop.generate({ transcript, toolOutputs })
    }
    for (const { toolName, output } of result.toolResults) print(`${toolName} -> ${JSON.stringify(output.value)}`)
    print(result.text)
  } finally {
    await rm(cwd, { recursive: true })
  }
}
