import { resolve } from 'node:path'
import { ask, withDefaults } from './ask.ts'
import { ownVersion } from './package-ranges.ts'
import { help, parseArguments, type Arguments } from './parse-arguments.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { writeScaffold } from './write-scaffold.ts'

/** What the command needs of the process. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Somebody can answer questions. */
  readonly isInteractive: boolean
}

/** Runs the command and gives its exit code. Rejects only for a bug of ours. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const args = parseArguments(words)
    if (args.show !== undefined) {
      terminal.out(args.show === 'help' ? help : `${ownVersion()}\n`)
      return 0
    }
    if (!args.yes && !terminal.isInteractive) refuseGaps(args)
    const answers = args.yes || !terminal.isInteractive ? withDefaults(args) : await ask(args)
    const files = writeScaffold(answers)
    terminal.out(farewell(answers.folder, answers.kind, files.length))
    return 0
  } catch (error) {
    if (!(error instanceof ScaffoldError)) throw error
    terminal.error(`create-steploop-adapter: ${error.message}\n`)
    return error.code === 'cancelled' ? 130 : 2
  }
}

/** @throws ScaffoldError `usage` with what would have to be asked for */
function refuseGaps({ folder, kind }: Arguments): void {
  const missing = [...(folder === undefined ? ['FOLDER'] : []), ...(kind === undefined ? ['--kind'] : [])]
  if (missing.length === 0) return
  const fix = `Give ${missing.join(' and ')}, or --yes for the defaults. See --help.`
  throw new ScaffoldError('usage', `Nobody can be asked here. ${fix}`)
}

function farewell(folder: string, kind: string, count: number): string {
  const isHere = resolve(folder) === process.cwd()
  const record = kind === 'own-format' ? ['npm run record -- --simulator'] : []
  const steps = [...(isHere ? [] : [`cd ${quoted(folder)}`]), 'npm install', ...record, 'npm test']
  const path = isHere ? 'this folder' : folder
  return `${count} files of an adapter of kind ${kind} are in ${path}. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}`
}

/** Quotes a folder as a shell takes it for one word. */
function quoted(folder: string): string {
  return /^[\w./\\:@+-]+$/.test(folder) ? folder : `"${folder.replace(/(["$`])/g, '\\$1')}"`
}
