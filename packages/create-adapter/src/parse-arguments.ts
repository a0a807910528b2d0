import { parseArgs } from 'node:util'
import { checkName } from './adapter-name.ts'
import { framings, framingTitles, isFraming, isKind, kinds, kindTitles, type Framing, type Kind } from './kinds.ts'
import { ScaffoldError } from './scaffold-error.ts'

export interface Arguments {
  readonly folder: string | undefined
  readonly kind: Kind | undefined
  readonly name: string | undefined
  /** Framing of the kind `own-format`. */
  readonly framing: Framing | undefined
  /** Ask nothing: take the defaults for what is not given. */
  readonly yes: boolean
  readonly show: 'help' | 'version' | undefined
}

export const help = `npm create steploop-adapter [FOLDER] [-- options]

Writes a package with one adapter: its subject, a conformance test, example cassettes, a CI workflow.

  FOLDER          folder to make; default: the adapter's name
  --kind KIND     ${kinds.map((kind) => `${kind.padEnd(13)} ${kindTitles[kind]}`).join(`\n${' '.repeat(18)}`)}
                  default: http
  --framing WORD  how streams of an own format are cut; default: ndjson
                  ${framings.map((framing) => `${framing.padEnd(13)} ${framingTitles[framing]}`).join(`\n${' '.repeat(18)}`)}
  --name NAME     name of the adapter, the key of its provider options; default: made of the folder's
  -y, --yes       ask nothing
  -h, --help      this text
  -v, --version   the version

Exit codes: 0 written, 2 wrong arguments or a folder that is not empty, 130 cancelled.
`

const options = {
  kind: { type: 'string' },
  name: { type: 'string' },
  framing: { type: 'string' },
  yes: { type: 'boolean', short: 'y', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
} as const

/** @throws ScaffoldError `usage` for what is no flag, no kind, no framing, no legal name, or one folder too many */
export function parseArguments(words: readonly string[]): Arguments {
  const { values, positionals } = parsed(words)
  const [folder, ...others] = positionals
  if (others.length > 0) throw wrong(`There is one folder to make, but ${positionals.length} were given`)
  if (values.kind !== undefined && !isKind(values.kind)) {
    throw wrong(`There is no kind '${values.kind}'. There are: ${kinds.join(', ')}`)
  }
  const { framing } = values
  if (framing !== undefined && !isFraming(framing)) {
    throw wrong(`There is no framing '${framing}'. There are: ${framings.join(', ')}`)
  }
  if (framing !== undefined && values.kind !== 'own-format') throw wrong('--framing is for --kind own-format')
  return {
    folder,
    kind: values.kind,
    framing,
    name: values.name === undefined ? undefined : checkName(values.name),
    yes: values.yes,
    show: values.help ? 'help' : values.version ? 'version' : undefined,
  }
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (cause) {
    // "Unknown option '--knd'. To specify a positional argument ...": its first sentence says it.
    throw wrong(cause instanceof Error ? (cause.message.split('. ')[0] ?? cause.message) : String(cause))
  }
}

function wrong(message: string): ScaffoldError {
  return new ScaffoldError('usage', `${message}. See --help.`)
}
