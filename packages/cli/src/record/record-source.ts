import { HarnessError, type Subject } from '@steploop/conformance'
import type { RecordedServer } from '@steploop/lab'
import { simulatedWires } from '@steploop/conformance/simulator'
import type { Command } from 'commander'

/** Where a recording comes from, as the command line says it. */
export interface SourceFlags {
  readonly baseUrl?: string | undefined
  readonly live?: boolean | undefined
  readonly local?: boolean | undefined
  readonly simulated?: boolean | undefined
  readonly simulator?: boolean | undefined
}

/** A subject and what it is recorded from. */
export interface Source {
  readonly subject: Subject
  readonly from: 'simulator' | RecordedServer
  readonly apiKey: string | undefined
}

export function addSourceOptions(command: Command): Command {
  return command
    .option('--base-url <URL>', 'the server to record, standing for the public base URL; default: that URL itself')
    .option('--live', 'the provider itself answers at --base-url')
    .option('--local', 'a real model server on this machine or network answers at --base-url')
    .option('--simulated', 'no real model answers at --base-url')
    .option('--simulator', 'record from a simulator in this process that plays the script of each scenario')
}

/** @throws HarnessError `usage` for flags that contradict each other */
export function checkSource({ simulator, baseUrl, live, local, simulated }: SourceFlags): void {
  const origins = Object.entries({ live, local, simulated }).flatMap(([name, given]) => (given ? [`--${name}`] : []))
  const [declared, second] = origins
  if (second !== undefined) {
    throw new HarnessError('usage', `${declared} and ${second} exclude each other: give the one that is true.`)
  }
  if (declared !== undefined && baseUrl === undefined) {
    throw new HarnessError('usage', `${declared} says what answers at --base-url: give that, or leave it out.`)
  }
  if (simulator && baseUrl !== undefined) {
    throw new HarnessError('usage', '--simulator and --base-url exclude each other: give one of them.')
  }
  if (baseUrl !== undefined && !isHttp(baseUrl)) {
    throw new HarnessError(
      'usage',
      `--base-url '${baseUrl}' is no URL of HTTP. Write it with its scheme, for example http://127.0.0.1:8080/v1.`,
    )
  }
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

export interface SourceOptions extends SourceFlags {
  /** A key that is not there is an error. */
  readonly needsKey: boolean
  /** The subjects were named one by one: then each of them has to have a source. */
  readonly named: boolean
}

/**
 * What each subject is recorded from. All that is missing is said at once, before any request.
 *
 * @throws HarnessError `usage` naming the variables of keys that are not set, and subjects without an address, or without HTTP
 */
export function sourcesOf(given: readonly Subject[], options: SourceOptions): readonly Source[] {
  const { simulator, baseUrl: baseURL, needsKey, named } = options
  const subjects = withHttp(given, named)
  if (simulator) refuseUnknownWires(subjects)
  if (simulator) return subjects.map((subject) => ({ subject, from: 'simulator', apiKey: undefined }))
  if (baseURL !== undefined) {
    const [subject, ...others] = subjects
    if (subject === undefined || others.length > 0) {
      throw new HarnessError('usage', 'Name one subject with --only: --base-url is the address of one server.')
    }
    const origin = declaredOrigin(options) ?? (isSame(baseURL, subject.baseURL) ? ownOrigin(subject) : undefined)
    return [{ subject, from: { baseURL, origin }, apiKey: keyOf(subject) }]
  }
  // Of several, those without an address are left out; where none has one, there would be nothing to do.
  const all = named || subjects.every((subject) => isReserved(subject.baseURL))
  const reachable = subjects.filter((subject) => all || !isReserved(subject.baseURL))
  const homeless = reachable.filter(({ baseURL: own }) => isReserved(own))
  const keyless = reachable.filter((subject) => needsKey && subject.apiKeyVariable !== undefined && !keyOf(subject))
  const complaints = [
    ...homeless.map(
      ({ name, baseURL: own }) =>
        `'${name}' has no address of its own: ${own} is nobody's. Correct \`baseURL\` in the config, or give --base-url or --simulator.`,
    ),
    ...variablesOf(keyless),
  ]
  if (complaints.length > 0) throw new HarnessError('usage', complaints.join('\n'))
  return reachable.map((subject) => {
    return { subject, from: { baseURL: subject.baseURL, origin: ownOrigin(subject) }, apiKey: keyOf(subject) }
  })
}

/** @throws HarnessError `usage` where nothing can be recorded of those that are asked for */
function withHttp(subjects: readonly Subject[], named: boolean): readonly Subject[] {
  const silent = subjects.filter(({ turnScript }) => turnScript !== undefined)
  if (silent.length === 0 || (!named && silent.length < subjects.length)) {
    return subjects.filter((subject) => !silent.includes(subject))
  }
  const names = silent.map(({ name }) => `'${name}'`).join(' and ')
  const fix = 'its scenarios are answered by its `turnScript`, and `steploop conformance` needs no cassettes of it'
  throw new HarnessError('usage', `There is nothing to record of ${names}: ${fix}.`)
}

/** @throws HarnessError `usage` for wire formats that the simulator does not speak */
function refuseUnknownWires(subjects: readonly Subject[]): void {
  const known = simulatedWires.map(({ wire }) => wire)
  const unrecordable = subjects.filter(({ wire, simulate }) => simulate === undefined && !known.includes(wire))
  if (unrecordable.length === 0) return
  const which = unrecordable.map(({ name, wire }) => `'${wire}' of '${name}'`).join(', ')
  const fix =
    'Give the subject a `simulate` that does, leave --simulator out to record from the provider, or give --base-url with --simulated for a server of yours. Others can be named with --only'
  throw new HarnessError('usage', `The simulator does not speak ${which}. It speaks: ${known.join(', ')}. ${fix}.`)
}

function declaredOrigin({ live, local, simulated }: SourceFlags): RecordedServer['origin'] {
  if (live) return 'live'
  if (local) return 'local'
  return simulated ? 'simulated' : undefined
}

/** A subject whose own address is this machine's is a model server on it: its config says so. */
function ownOrigin({ baseURL }: Subject): 'live' | 'local' {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseURL).hostname) ? 'local' : 'live'
}

function isSame(one: string, other: string): boolean {
  const normal = (url: string): string => new URL(url).href.replace(/\/+$/, '')
  return normal(one) === normal(other)
}

/** Reserved names: RFC 2606, RFC 6761. */
function isReserved(baseURL: string): boolean {
  return /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|test)$/.test(new URL(baseURL).hostname)
}

function keyOf({ apiKeyVariable: variable }: Subject): string | undefined {
  return variable === undefined ? undefined : process.env[variable]
}

function variablesOf(subjects: readonly Subject[]): readonly string[] {
  const byVariable = Map.groupBy(subjects, ({ apiKeyVariable }) => apiKeyVariable)
  return [...byVariable].map(([variable, group]) => {
    const names = group.map(({ name }) => `'${name}'`).join(' and ')
    return `Set ${variable} to record ${names} live, or give --base-url or --simulator.`
  })
}
