import { CassetteError } from '@steploop/cassette'
import { serveCassette, type CassetteServer, type ServeOptions } from '@steploop/cassette/server'
import { HarnessError } from '@steploop/conformance'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { repeated } from '../command/options.ts'
import { action, count, jsonOption, output } from './run-action.ts'

interface ServeFlags {
  readonly port: string
  readonly baseUrl?: string | undefined
  readonly timing: string
  readonly mask: readonly string[]
  readonly json?: string | undefined
}

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('replay a cassette over loopback HTTP until stopped, for programs in any language')
    .addHelpText(
      'after',
      '\nThe first line on stdout is the address that stands for the recorded one. Ctrl-C, or SIGTERM, stops the server: it says what\n' +
        'was asked that is not recorded and which exchanges nobody asked for, and exits with 1 if there is any of either.',
    )
    .argument('<FILE>', 'cassette')
    .option('--port <N>', 'default: any free one', '0')
    .option('--base-url <URL>', 'recorded prefix that the server stands for; default: its scheme and host')
    .option('--timing <SPEED>', 'instant, recorded, or xN for N times faster than recorded', 'instant')
    .option('--mask <PATH>', 'field of requests that differs from run to run; may be given again', repeated, [])
    .option(...jsonOption)
    .action(action(serve))
}

async function serve(file: string, flags: ServeFlags): Promise<number> {
  if (flags.baseUrl !== undefined && !URL.canParse(flags.baseUrl)) {
    const fix = 'Give the beginning of the recorded addresses, for example https://api.example.com/v1.'
    throw new HarnessError('usage', `--base-url '${flags.baseUrl}' is no URL. ${fix}`)
  }
  const options: ServeOptions = {
    port: portOf(flags.port),
    publicBaseURL: flags.baseUrl,
    timing: timingOf(flags.timing),
    match: { mask: flags.mask },
  }
  const server = await listen(file, options)
  const stopped = untilStopped()
  process.stdout.write(flags.json === '-' ? `${JSON.stringify({ url: server.url })}\n` : `${server.url}\n`)
  await stopped
  await server.close()
  return report(file, server, flags.json)
}

async function listen(file: string, options: ServeOptions): Promise<CassetteServer> {
  try {
    return await serveCassette(file, options)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (CassetteError.isInstance(cause) || !/^E[A-Z]+$/.test(code)) throw cause
    const message = `Port ${options.port} of this machine cannot be used (${code}). Give another one, or none.`
    throw new HarnessError('usage', message, { cause })
  }
}

function portOf(given: string): number {
  const port = Number(given)
  if (/^\d+$/.test(given) && port <= 65_535) return port
  throw new HarnessError('usage', `--port '${given}' is no port. Give a number from 0 to 65535.`)
}

function timingOf(given: string): 'instant' | 'recorded' | number {
  if (given === 'instant' || given === 'recorded') return given
  const speed = Number(/^x(\d+(?:\.\d+)?)$/.exec(given)?.[1])
  if (speed > 0) return speed
  throw new HarnessError('usage', `--timing '${given}' is no speed. There are: instant, recorded, and xN such as x10.`)
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

async function report(file: string, { replay }: CassetteServer, json: string | undefined): Promise<number> {
  const total = replay.cassette.exchanges.length
  const open = new Set(replay.unconsumed())
  const numbered = replay.cassette.exchanges.map((exchange, index) => ({ exchange, number: index + 1 }))
  const left = numbered
    .filter(({ exchange }) => open.has(exchange))
    .map(({ exchange, number }) => ({ number, method: exchange.request.method, url: exchange.request.url }))
  const misses = replay.misses().map(({ message }) => message)
  const lines = [
    `${file}: ${total - left.length} of ${count(total, 'exchange')} answered`,
    ...left.map(({ number, method, url }) => `  exchange ${number} was never asked for: ${method} ${url}`),
    ...misses.map((message) => `  not recorded: ${message.trimEnd().replaceAll('\n', '\n    ')}`),
  ]
  await output(`${lines.join('\n')}\n`, { answered: total - left.length, unconsumed: left, misses }, json)
  return left.length + misses.length === 0 ? exitCodes.expected : exitCodes.finding
}
