import { parseArgs } from 'node:util'
import { createAnthropic } from '@steploop/anthropic'
import { StepLoopError, type Adapter } from '@steploop/core'
import { createGemini } from '@steploop/gemini'
import { createOpenAI } from '@steploop/openai'
import { buildPage } from './build-page.ts'
import { simulatedModel } from './model.ts'
import { serveChat } from './server.ts'

const help = `pnpm chat [options]

A chat page with useChat, and its server. Without --live the model is simulated, and nothing leaves this machine.

  --live PROVIDER/MODEL  ask a real model: openai/gpt-5-mini, anthropic/claude-sonnet-4-5, gemini/gemini-2.5-flash ...
                         with its key in OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY
  --port N               where to listen, on 127.0.0.1 only (default 3210)
  --delay MS             how long the simulated model takes for a word (default 40)
  --help                 this text

Exit codes: 0 ended by Ctrl-C, 1 it failed, 2 wrong options or a key that is not set.
`

const providers: Readonly<Record<string, { readonly key: string; readonly make: (model: string) => Adapter }>> = {
  openai: { key: 'OPENAI_API_KEY', make: (model) => createOpenAI()(model) },
  anthropic: { key: 'ANTHROPIC_API_KEY', make: (model) => createAnthropic()(model) },
  gemini: { key: 'GEMINI_API_KEY', make: (model) => createGemini()(model) },
}

function modelOf(live: string | undefined, delayMs: number): Adapter {
  if (live === undefined) return simulatedModel(delayMs)
  const slash = live.indexOf('/')
  const [name, model] = [live.slice(0, slash), live.slice(slash + 1)]
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined
  if (provider === undefined || slash < 0 || model === '')
    throw new StepLoopError(
      'usage',
      `--live takes PROVIDER/MODEL, not '${live}'. Providers: ${Object.keys(providers).join(', ')}.`,
    )
  if (!process.env[provider.key])
    throw new StepLoopError('usage', `${provider.key} is not set. Set it, or leave --live out.`)
  return provider.make(model)
}

function numberOf(name: string, value: string, most: number): number {
  if (/^\d+$/.test(value) && Number(value) <= most) return Number(value)
  throw new StepLoopError('usage', `--${name} takes a number from 0 to ${most}, not '${value}'.`)
}

function readFlags(args: string[]) {
  try {
    const options = {
      live: { type: 'string' },
      port: { type: 'string', default: '3210' },
      delay: { type: 'string', default: '40' },
      help: { type: 'boolean', default: false },
    } as const
    const { live, port, delay, help: wantsHelp } = parseArgs({ args, options }).values
    return { live, port: numberOf('port', port, 65_535), delayMs: numberOf('delay', delay, 10_000), wantsHelp }
  } catch (error) {
    throw new StepLoopError('usage', `${error instanceof Error ? error.message : String(error)}\nSee pnpm chat --help.`)
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

async function main(): Promise<void> {
  const { live, port, delayMs, wantsHelp } = readFlags(process.argv.slice(2))
  if (wantsHelp) return console.log(help)
  const model = modelOf(live, delayMs)
  console.log('Bundling the page ...')
  const files = await buildPage()
  const server = await serveChat({ model, files, delayMs }, port).catch((error: unknown) => {
    if (!isTaken(error)) throw error
    throw new StepLoopError('usage', `Port ${port} of 127.0.0.1 is taken. Give another one: --port N.`)
  })
  console.log(`Answers come from ${model.provider}/${model.model}${live === undefined ? ', which is simulated' : ''}.`)
  console.log(`Open ${server.url} (Ctrl-C ends it)`)
  process.once('SIGINT', () => void server.close())
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = StepLoopError.isInstance(error) && error.code === 'usage' ? 2 : 1
})
