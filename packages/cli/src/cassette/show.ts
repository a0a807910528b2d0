import { readCassette, type Cassette } from '@steploop/cassette'
import { exchangeViews, printable, printConversation } from '@steploop/lab'
import { HarnessError } from '@steploop/conformance'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { hasColours } from '../command/colours.ts'
import { action, jsonOption, output } from './run-action.ts'

interface ShowFlags {
  readonly raw?: boolean | undefined
  readonly full?: boolean | undefined
  readonly exchange?: string | undefined
  readonly json?: string | undefined
}

export function registerShow(program: Command): void {
  program
    .command('show')
    .description('print a cassette as a conversation that a person can follow')
    .argument('<FILE>', 'cassette')
    .option('--raw', 'URLs, headers and bodies as they went over the wire')
    .option('--full', 'long texts whole')
    .option('--exchange <N>', 'only exchange N, from 1')
    .option(...jsonOption)
    .action(action(show))
}

async function show(file: string, flags: ShowFlags): Promise<number> {
  const whole = readCassette(file)
  const number = exchangeNumber(flags.exchange, whole)
  const isShown = (index: number): boolean => number === undefined || index + 1 === number
  const cassette = { ...whole, exchanges: whole.exchanges.filter((_, index) => isShown(index)) }
  const limit = flags.full ? Number.POSITIVE_INFINITY : undefined
  const text = flags.raw ? printRaw(cassette) : printConversation(cassette, { colours: hasColours(), limit })
  const exchanges = exchangeViews(whole).filter((_, index) => isShown(index))
  await output(text, flags.raw ? rawJson(cassette) : { header: whole.header, exchanges }, flags.json)
  return exitCodes.expected
}

function exchangeNumber(given: string | undefined, { exchanges }: Cassette): number | undefined {
  if (given === undefined) return undefined
  const number = Number(given)
  if (Number.isInteger(number) && number >= 1 && number <= exchanges.length) return number
  throw new HarnessError(
    'usage',
    `There is no exchange '${given}': the cassette has ${exchanges.length}, counted from 1.`,
  )
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

function printRaw({ exchanges }: Cassette): string {
  return exchanges
    .map(({ request, response }) => {
      const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), '', decode(request.body)]
      const came = [`${response.status}`, ...headerLines(response.headers), '', decode(response.body)]
      return `${printable([...sent, '', ...came].join('\n')).trimEnd()}\n(${response.ending})\n`
    })
    .join('\n')
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}

function rawJson({ header, exchanges }: Cassette): unknown {
  return {
    header,
    exchanges: exchanges.map(({ request, response }) => ({
      request: { ...request, body: decode(request.body) },
      response: { ...response, body: decode(response.body) },
    })),
  }
}
