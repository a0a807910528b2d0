import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { HeldBehaviour } from './behaviour.ts'
import { catalogue } from './catalogue.ts'
import { judge, testsOf } from './judge.ts'
import { findNamedTests } from './named-tests.ts'
import { prove, type Proof } from './prove.ts'
import { renderJudgement, renderProof, renderProofs } from './render.ts'

const help = `pnpm behaviours [--json FILE]
    Prints every behaviour with the tests that name it, or the reason why there is none. Exit code 1: one has neither.
pnpm behaviours --prove [--only ID] [--json FILE]
    Switches each behaviour off in turn, in memory, and runs the tests that name it. Exit code 1: they stay green.

    --only ID    one id, or the beginning of several (D1, H); may be repeated
    --json FILE  writes the same as JSON; - is stdout, and the text then goes to stderr
    --help       prints this

Exit codes: 0 nothing missing, 1 as above, 2 wrong options or a FILE that cannot be written.
`

// `pnpm behaviours | head` closes the pipe early, and that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  return 2
})

async function main(): Promise<number> {
  const { values: flags } = parseArgs({
    options: {
      prove: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (flags.help) {
    console.log(help.trimEnd())
    return 0
  }
  const print = flags.json === '-' ? console.error : console.log
  const chosen = choose(flags.only)
  const tests = findNamedTests()
  const { entries, problems } = judge(chosen, flags.only === undefined ? tests : testsOf(chosen, tests))
  if (!flags.prove) {
    print(renderJudgement({ entries, problems }))
    await writeJson(flags.json, { behaviours: entries, problems })
    return problems.length === 0 ? 0 : 1
  }
  const behaviours = chosen.filter((behaviour): behaviour is HeldBehaviour => behaviour.type === 'held')
  const onProof = (proof: Proof): void => print(renderProof(proof))
  const proofs = await prove({ behaviours, tests, onProof })
  print(renderProofs(proofs))
  await writeJson(flags.json, { behaviours: entries, problems, proofs })
  return proofs.every(({ problem }) => problem === undefined) ? 0 : 1
}

function choose(only: readonly string[] | undefined): typeof catalogue {
  const unknown = only?.find((start) => !catalogue.some(({ id }) => id.startsWith(start)))
  if (unknown !== undefined)
    throw new RangeError(`--only ${unknown}: no behaviour has such an id. See pnpm behaviours.`)
  return only === undefined ? catalogue : catalogue.filter(({ id }) => only.some((start) => id.startsWith(start)))
}

async function writeJson(file: string | undefined, report: object): Promise<void> {
  if (file === undefined) return
  const text = `${JSON.stringify(report, undefined, 2)}\n`
  if (file === '-') process.stdout.write(text)
  else
    await writeFile(file, text).catch((cause: unknown) => {
      const said = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`--json ${file} cannot be written (${said}). Give another file.`, { cause })
    })
}
