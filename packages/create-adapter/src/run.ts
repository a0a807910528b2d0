import { ask, withDefaults } from './ask.ts'
import { ownVersion } from './package-ranges.ts'
import { help, parseArguments } from './parse-arguments.ts'
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
    const given = parseArguments(words)
    if (given.show !== undefined) {
      terminal.out(given.show === 'help' ? help : `${ownVersion()}\n`)
      return 0
    }
    if (!given.yes && !terminal.isInteractive && (given.folder === undefined || given.kind === undefined)) {
      throw new ScaffoldError(
        'usage',
        'Nobody can be asked here. Give FOLDER and --kind, or --yes for the defaults. See --help.',
      )
    }
    const answers = given.yes || !terminal.isInteractive ? withDefaults(given) : await ask(given)
    const files = writeScaffold(answers)
    terminal.out(farewell(answers.folder, answers.kind, files.length))
    return 0
  } catch (error) {
    if (!(error instanceof ScaffoldError)) throw error
    terminal.error(`create-steploop-adapter: ${error.message}\n`)
    return error.code === 'cancelled' ? 130 : 2
  }
}

function farewell(folder: string, kind: string, count: number): string {
  return `${count} files of an adapter of kind ${kind} are in ${folder}. Next:

  cd ${folder}
  npm install
  npm test
`
}
