import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { problemsOf, runSpecs, trafficBeside, type SpecsReport } from './run-specs.ts'

const help = `pnpm specs [--list] [--json FILE] [--specifications DIR] [--traffic DIR]
    Holds every request of the adapters, and every body and event of the simulator, against the providers' own API specifications:
    JSON Schema made from the types of the vendors' packages, and the files of DIR where there are any.
    A rule that the provider's recorded traffic breaks too is a mistake of the specification: specs/mistakes.json names a recording
    for each. specs/exceptions.yaml has those that need another reason. Then faults are planted, and instances are made of everything
    that an answer may hold.
pnpm specs --calibrate
    Looks through the recorded traffic for mistakes of specifications and writes specs/mistakes.json.

    --specifications DIR  default ../shared/official-specs
    --traffic DIR         recordings; may be repeated; default: every ../shared/real-traffic*
    --list                also prints the exempted rules and the planted faults that nobody noticed
    --json FILE           writes the report as JSON; - is stdout, and the text then goes to stderr
    --help                prints this

Exit codes: 0 everything fits, 1 something does not, 2 wrong options or a FILE that cannot be written.
`

// `pnpm specs | head` closes the pipe early, and that is no failure.
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
      specifications: { type: 'string', default: '../shared/official-specs' },
      traffic: { type: 'string', multiple: true, default: [...trafficBeside('../shared')] },
      calibrate: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (flags.help) {
    console.log(help.trimEnd())
    return 0
  }
  const started = performance.now()
  const report = await runSpecs({
    cassettes: 'cassettes',
    specifications: flags.specifications,
    traffic: flags.traffic,
    mistakesFile: fileURLToPath(new URL('mistakes.json', import.meta.url)),
    exceptionsFile: fileURLToPath(new URL('exceptions.yaml', import.meta.url)),
    calibrates: flags.calibrate,
    onPart: (part) => console.error(`${Math.round((performance.now() - started) / 1000)} s: ${part}`),
  })
  const problems = problemsOf(report)
  const print = flags.json === '-' ? console.error : console.log
  print([...summary(report), ...(flags.list ? details(report) : []), ...problems].join('\n'))
  if (flags.json !== undefined) await writeJson(flags.json, { ...report, problems })
  return problems.length === 0 ? 0 : 1
}

function summary({ specifications, documents, rules, planted, made }: SpecsReport): readonly string[] {
  const sorts = Object.entries(planted.sorts).map(
    ([sort, { planted: all, noticed }]) => `${sort} ${shareOf(noticed, all)}`,
  )
  const absent = specifications.missing.length === 0 ? '' : `; not here: ${specifications.missing.join(', ')}`
  const unproven =
    rules.unproven === 0 ? '' : ` (${rules.unproven} of them taken on trust: their recordings do not lie here)`
  return [
    `specifications  ${specifications.read.join(', ')}${absent}`,
    `checked         ${documents.request} requests, ${documents.body} bodies, ${documents.event} events, ${made.instances} made instances`,
    `rules exempted  ${rules.mistakes.length} that recorded traffic breaks too${unproven}, ${rules.exceptions.length} exceptions with a reason`,
    `planted faults  ${sorts.join(', ')}`,
    `the simulator   refuses ${shareOf(planted.simulator.refused, planted.simulator.requests)} of the requests that a specification refuses`,
    `unexplained     ${rules.unexplained.length}`,
  ]
}

function shareOf(part: number, all: number): string {
  return `${part} of ${all}${all === 0 ? '' : ` (${((100 * part) / all).toFixed(1)} %)`}`
}

function details({ rules, planted }: SpecsReport): readonly string[] {
  return [
    ...rules.mistakes.map(({ rule, count }) => `exempted ${count} times: ${rule}`),
    ...rules.exceptions.map(({ rule, count, reason }) => `exempted ${count} times: ${rule}\n    ${reason}`),
    ...planted.missed.map((fault) => `not noticed: ${fault}`),
  ]
}

async function writeJson(file: string, report: object): Promise<void> {
  const text = `${JSON.stringify(report, undefined, 2)}\n`
  if (file === '-') {
    process.stdout.write(text)
    return
  }
  await writeFile(file, text).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`--json ${file} cannot be written (${reason}). Give another file.`, { cause })
  })
}
