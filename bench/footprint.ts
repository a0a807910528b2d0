import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { rolldown, type OutputChunk } from 'rolldown'
import { compare, type Row } from './racer.ts'

/** What a program of each contestant imports; the floor's comes first. */
const imports: Readonly<Record<string, readonly string[]>> = {
  floor: ['eventsource-parser'],
  steploop: ['@steploop/core', '@steploop/openai-compatible'],
  'openai runTools': ['openai'],
  'ai + openai-compatible': ['ai', '@ai-sdk/openai-compatible'],
  '@openai/agents': ['@openai/agents'],
  'langchain createAgent': ['langchain', '@langchain/openai'],
  '@tanstack/ai': ['@tanstack/ai', '@tanstack/ai-openai'],
}

const rowsOf = (hasPeers: boolean): readonly { readonly name: string; readonly packages: readonly string[] }[] =>
  Object.entries(imports)
    .slice(0, hasPeers ? undefined : 2)
    .map(([name, packages]) => ({ name, packages }))

/** CPU of a cold import in a process of its own, in milliseconds, from what is built: run `pnpm build` first. */
export function measureImports(rounds: number, hasPeers: boolean): Promise<readonly Row[]> {
  const rows = rowsOf(hasPeers)
  return compare(rows, rounds, async ({ packages }) => importOf(packages))
}

function importOf(packages: readonly string[]): number {
  const program = `
    const before = process.cpuUsage()
    ${packages.map((name) => `await import('${name}')`).join('\n')}
    const { user, system } = process.cpuUsage(before)
    console.log((user + system) / 1000)`
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const
  // Not with the condition of this repository, under which sources are imported.
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], options))
}

export interface Size {
  readonly title: string
  /** Minified, and compressed as servers do. */
  readonly bytes: number
  readonly gzip: number
  /** A character beyond Latin-1: one is enough for engines to keep the whole module in two bytes a character, and to read it slower. */
  readonly wide: string | undefined
}

/** Minimal programs of the peers. */
const peers: Readonly<Record<string, string>> = {
  'openai runTools': `import OpenAI from 'openai'; console.log(new OpenAI().chat.completions.runTools)`,
  'ai + openai-compatible': `import { generateText, streamText, tool } from 'ai'; import { createOpenAICompatible } from '@ai-sdk/openai-compatible'; console.log(generateText, streamText, tool, createOpenAICompatible)`,
  '@openai/agents': `import { Agent, OpenAIChatCompletionsModel, Runner, tool } from '@openai/agents'; console.log(Agent, OpenAIChatCompletionsModel, Runner, tool)`,
  'langchain createAgent': `import { createAgent, tool } from 'langchain'; import { ChatOpenAI } from '@langchain/openai'; console.log(createAgent, tool, ChatOpenAI)`,
  '@tanstack/ai': `import { chat, maxIterations, toolDefinition } from '@tanstack/ai'; import { OpenAIChatCompletionsTextAdapter } from '@tanstack/ai-openai'; console.log(chat, maxIterations, toolDefinition, OpenAIChatCompletionsTextAdapter)`,
}

const floor = `import { createParser } from 'eventsource-parser'; console.log(createParser)`

export const minimal = `import { StepLoop, tool } from '@steploop/core'; import { createOpenAICompatible } from '@steploop/openai-compatible'; console.log(StepLoop, tool, createOpenAICompatible)`

/** What may stand beside the minimal program, and costs nothing where it does not. */
const extras: Readonly<Record<string, string>> = {
  'one policy (allowTools)': `import { allowTools } from '@steploop/core/policies'; console.log(allowTools)`,
  'all policies': `import * as policies from '@steploop/core/policies'; console.log(policies)`,
  'server-sent events for a page': `import { toServerSentEvents } from '@steploop/core'; console.log(toServerSentEvents)`,
  'reading them': `import { readServerSentEvents } from '@steploop/core'; console.log(readServerSentEvents)`,
  'signed transcripts': `import { signTranscript, verifyTranscript } from '@steploop/core'; console.log(signTranscript, verifyTranscript)`,
}

/** Bundles of minimal programs for any runtime, from what is built. The same build gives the same bytes. */
export async function measureSizes(hasPeers: boolean): Promise<readonly Size[]> {
  const own = await sizeOf('steploop', minimal)
  const parts: Size[] = []
  for (const [title, program] of Object.entries(extras)) {
    const { bytes, gzip, wide } = await sizeOf(title, minimal + '\n' + program)
    parts.push({ title: `  + ${title}`, bytes: bytes - own.bytes, gzip: gzip - own.gzip, wide })
  }
  const others: Size[] = []
  for (const [title, program] of Object.entries(hasPeers ? peers : {})) others.push(await sizeOf(title, program))
  return [await sizeOf('floor', floor), own, ...parts, ...others]
}

async function sizeOf(title: string, program: string): Promise<Size> {
  const { code } = await bundleOf(program)
  const wide = /[\u0100-\uffff]/.exec(code)?.[0]
  return { title, bytes: code.length, gzip: gzipped(code), wide }
}

/** Bytes. */
export function gzipped(code: string): number {
  return gzipSync(code, { level: 9 }).length
}

/** A program in one minified module; `fromSources`: of our sources in place of what is built of them, and with a source map. */
export async function bundleOf(program: string, fromSources = false): Promise<OutputChunk> {
  const entry = `${import.meta.dirname}/program.ts`
  await using bundle = await rolldown({
    input: entry,
    platform: 'browser',
    logLevel: 'silent',
    ...(fromSources && { resolve: { conditionNames: ['@steploop/source', 'import', 'default'] } }),
    plugins: [
      { name: 'program', load: (id) => (id === entry ? program : null), resolveId: (id) => (id === entry ? id : null) },
    ],
  })
  // Annotations for another bundler are no part of what a page loads.
  const options = { minify: true, comments: false, codeSplitting: false, sourcemap: fromSources && 'hidden' } as const
  const { output } = await bundle.generate(options)
  return output[0]
}

/** More than this and something has been added that every program carries. */
export const limits = { importRatio: 3.5, gzip: 56_900 }
