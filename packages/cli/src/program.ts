import { readFileSync } from 'node:fs'
import { Command, Help, Option } from 'commander'
import { guardProcess } from './command/guard-process.ts'
import { runCommand } from './command/run-command.ts'

const onDone = guardProcess()

const program = new Command('steploop')
  .description('Checks adapters against scenarios, cassettes and recorded traffic')
  .version(ownVersion())
  .showHelpAfterError()
  // That an option which may be repeated starts with an empty list says nothing to its reader.
  .configureHelp({
    optionDescription: (option) =>
      new Help().optionDescription(
        Array.isArray(option.defaultValue) ? new Option(option.flags, option.description) : option,
      ),
  })
  .exitOverride()

type Register = (program: Command) => void

/** Where each command is, by what is typed; processes of a run are started with a name of their own. */
const commands: readonly (readonly [names: readonly string[], load: () => Promise<Register>])[] = [
  [
    ['conformance', 'conformance-worker'],
    async () => (await import('./conformance/conformance.ts')).registerConformance,
  ],
  [['merge'], async () => (await import('./conformance/merge.ts')).registerMerge],
  [['verify'], async () => (await import('./conformance/verify.ts')).registerVerify],
  [['traffic'], async () => (await import('./traffic/traffic.ts')).registerTraffic],
  [['record'], async () => (await import('./record/record.ts')).registerRecord],
  [['drift'], async () => (await import('./record/drift.ts')).registerDrift],
  [['live'], async () => (await import('./live/live.ts')).registerLive],
  [['mutants', 'mutant-worker', 'judge-worker'], async () => (await import('./mutants/mutants.ts')).registerMutants],
  [['cassette'], async () => (await import('./cassette/register-cassette.ts')).registerCassette],
]

// Loading takes longer than most commands: only what was typed is loaded, and all where the text is about all.
const typed = commands.filter(([names]) => names.includes(process.argv[2] ?? ''))
for (const [, load] of typed.length > 0 ? typed : commands) (await load())(program)

// Not awaited here: the runtime would print a warning of its own about what never settles.
void runCommand(program, process.argv).then(onDone)

/** From this package's manifest. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(Reflect.get(Object(manifest), 'version'))
}
