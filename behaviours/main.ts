import { parseArgs } from 'node:util'
import { behaviours, findTaggedTests, problemsOf, type Behaviour, type TaggedTest } from './catalogue.ts'
import { prove, type Proof } from './prove.ts'

const help = `pnpm behaviours [--only ID] [--json]
    Prints every behaviour of docs/behaviours.md with its tests, or the reason why there are none. Exit code 1: one has neither.
pnpm behaviours --prove [--only ID] [--json]
    Changes what decides about each, in memory, and runs its tests until one is red. Exit code 1: they stay green.

    --only ID  one id, or the beginning of several (D1, H); may be repeated
    --json     prints JSON to stdout; the text then goes to stderr`

// `pnpm behaviours | head` closes the pipe early, and that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const { values: flags } = parseArgs({
  options: {
    prove: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const print = flags.json ? console.error : console.log
if (flags.help) console.log(help)
else process.exitCode = await main()

async function main(): Promise<number> {
  const chosen = behaviours.filter(({ id }) => flags.only.some((start) => id.startsWith(start)))
  if (chosen.length === 0) throw new RangeError(`--only ${flags.only.join()}: there is no such id.`)
  const tests = findTaggedTests()
  const entries = chosen.map((one) => ({ ...one, tests: tests.filter(({ tags }) => tags.includes(one.id)) }))
  const proofs = flags.prove ? await prove({ behaviours: chosen, tests, onProof: printProof }) : []
  const unproven = proofs.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id}: ${problem}`]))
  const problems = [...problemsOf(chosen, tests), ...unproven]
  if (!flags.prove) for (const entry of entries) printEntry(entry)
  const reasons = entries.filter(({ reason }) => reason !== undefined).length
  print(`\n${entries.length} behaviours: ${entries.length - reasons} tested, ${reasons} listed with a reason.`)
  if (flags.prove) print(`${proofs.length - unproven.length} of ${proofs.length} are proven.`)
  for (const problem of problems) print(`problem: ${problem}`)
  if (flags.json) console.log(JSON.stringify({ behaviours: entries, problems, proofs }, undefined, 2))
  return problems.length === 0 ? 0 : 1
}

function printEntry({ id, behaviour, reason, tests }: Behaviour & { readonly tests: readonly TaggedTest[] }): void {
  print(`${id}  ${behaviour}`)
  for (const { file, title } of tests) print(`     ${file}: ${title}`)
  if (reason !== undefined) print(`     not tested: ${reason}`)
}

function printProof({ id, mutant, red, problem }: Proof): void {
  print(`${id}  ${problem === undefined ? `proven: ${mutant}` : `NOT PROVEN: ${problem}`}`)
  for (const title of red) print(`     red: ${title}`)
}
