/** Servers that others wrote, behind every adapter: each of their tools is called once, and every simulated provider takes the definitions. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@steploop/conformance/simulator'
import { StepLoop, type ToolSet } from '@steploop/core'
import type { McpOptions } from '@steploop/mcp'
import { connectMcp, type McpConnection } from '@steploop/mcp/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { repository } from '../repository/source-files.ts'

const modules = join(repository, 'packages/mcp/node_modules/@modelcontextprotocol')
const everything = join(modules, 'server-everything/dist/index.js')
const filesystem = join(modules, 'server-filesystem/dist/index.js')

type Inputs = Readonly<Record<string, Readonly<Record<string, unknown>>>>
/** Of one run: what it makes is its own. */
type MakeInputs = (run: string) => Inputs

const everythingInputs: Inputs = {
  echo: { message: 'hello' },
  'get-annotated-message': { messageType: 'success', includeImage: true },
  'get-env': {},
  'get-resource-links': { count: 2 },
  'get-resource-reference': { resourceType: 'Blob', resourceId: 1 },
  'get-structured-content': { location: 'Chicago' },
  'get-sum': { a: 1, b: 2 },
  'get-tiny-image': {},
  'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' },
  'toggle-simulated-logging': {},
  'toggle-subscriber-updates': {},
  'trigger-long-running-operation': { duration: 0.02, steps: 2 },
  'trigger-elicitation-request': {},
  'trigger-url-elicitation': { url: 'https://example.com/', message: 'Open it.' },
  'trigger-sampling-request': { prompt: 'hi' },
}

/** In the order in which they can work: what is read is there. */
function filesystemInputs(folder: string, run: string): Inputs {
  const [path, source, moved] = ['a.txt', `${run}.txt`, `${run}-moved.txt`].map((name) => join(folder, name))
  return {
    read_file: { path },
    read_text_file: { path },
    read_media_file: { path },
    read_multiple_files: { paths: [path] },
    write_file: { path: source, content: 'b' },
    edit_file: { path, edits: [{ oldText: 'hello', newText: 'hello' }], dryRun: true },
    create_directory: { path: join(folder, run) },
    list_directory: { path: folder },
    list_directory_with_sizes: { path: folder },
    directory_tree: { path: folder },
    move_file: { source, destination: moved },
    search_files: { path: folder, pattern: '**/*.txt' },
    get_file_info: { path },
    list_allowed_directories: {},
  }
}

interface Part {
  readonly connection: McpConnection
  readonly tools: ToolSet
  readonly inputs: MakeInputs
  readonly close: () => Promise<unknown>
}

const answering: McpOptions = {
  approve: 'never',
  onElicit: ({ mode }) => (mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada' } }),
  onSample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } }),
}

async function openPart(connection: McpConnection, inputs: MakeInputs, close?: () => unknown): Promise<Part> {
  const tools = await connection.tools()
  return { connection, tools, inputs, close: async () => [await connection.close(), await close?.()] }
}

const command = process.execPath

const parts: Readonly<Record<string, () => Promise<Part>>> = {
  'server-everything over stdio': async () =>
    openPart(await connectMcp({ command, args: [everything, 'stdio'] }, answering), () => everythingInputs),
  async 'server-everything over streamable HTTP'() {
    const loopback = join(repository, 'packages/mcp/test/servers/loopback.ts')
    const child = spawn(command, ['--import', loopback, everything, 'streamableHttp'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const port = await new Promise<string>((resolve) => {
      child.stderr.on('data', (text: Buffer) => {
        const found = /listening at (\d+)/.exec(String(text))?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    const connection = await connectMcp({ url: `http://127.0.0.1:${port}/mcp` }, answering)
    return openPart(
      connection,
      () => everythingInputs,
      () => child.kill('SIGKILL'),
    )
  },
  async 'server-filesystem over stdio'() {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-files-'))
    await writeFile(join(folder, 'a.txt'), 'hello')
    const connection = await connectMcp({ command, args: [filesystem, folder] }, answering)
    return openPart(
      connection,
      (run) => filesystemInputs(folder, run),
      () => rm(folder, { recursive: true }),
    )
  },
}

describe.each(Object.entries(parts))('%s', (_title, open) => {
  let part: Part
  beforeAll(async () => {
    part = await open()
  })
  afterAll(() => part.close())

  test('an MCP server has the tools that are called here, and leaves out what can be called as a task only', () => {
    const { tools, inputs, connection } = part
    expect(Object.keys(tools).toSorted()).toEqual(Object.keys(inputs('')).toSorted())
    const isEverything = Object.hasOwn(tools, 'echo')
    expect(connection.warnings.map(({ toolName }) => toolName)).toEqual(isEverything ? ['simulate-research-query'] : [])
  })

  test.each(config.subjects)(
    'each tool of an MCP server is called once behind $name',
    async ({ name, wire, baseURL, adapter }) => {
      const { tools } = part
      const inputs = part.inputs(name)
      const names = Object.keys(tools)
      const turns = names.map((toolName) => ({
        type: 'answer' as const,
        parts: [{ type: 'call' as const, toolName, input: inputs[toolName] ?? {} }],
      }))
      const simulator = await startSimulator({
        wire,
        baseURL,
        script: [...turns, { type: 'answer', parts: [{ type: 'text', text: 'Done.' }] }],
      })
      const redirected: typeof fetch = (input, init) => {
        const url = input instanceof Request ? input.url : String(input)
        return fetch(simulator.url + url.slice(baseURL.length), init)
      }
      try {
        const model = adapter({ apiKey: 'example-key', fetch: redirected })
        const loop = new StepLoop({ model, tools, maxSteps: 50, maxRetries: 0 })
        const result = await loop.generate('Call everything.')
        expect(result.text).toBe('Done.')
        expect(result.toolCalls.map(({ toolName }) => toolName)).toEqual(names)
        const failures = result.toolResults.filter(({ output }) => output.type === 'error')
        expect(failures).toEqual([])
      } finally {
        await simulator.close()
      }
    },
  )
})
