// All scenarios over our Responses server: `pnpm server:conformance [NAME ...]`, where the names are subjects that
// stand behind it. Default: all of them that speak HTTP. Exit 1: something differs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { scenarios, type Subject } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import type { Mode } from '@steploop/core'
import config from '../steploop.config.ts'
import { serverSubject } from '../test/server/server-subject.ts'

const client = config.subjects.find(({ name }) => name === 'openai') as Subject
const { positionals } = parseArgs({ allowPositionals: true })
const chosen = config.subjects.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
for (const upstream of chosen.filter(({ turnScript }) => turnScript === undefined)) {
  const cassettes = mkdtempSync(join(tmpdir(), 'server-row-'))
  const statuses = [...(await play(upstream, cassettes, 'generate')), ...(await play(upstream, cassettes, 'stream'))]
  rmSync(cassettes, { recursive: true })
  const count = (wanted: string): number => statuses.filter((status) => status === wanted).length
  if (count('refused') > 0) process.exitCode = 1
  const totals = `${count('written')} passed, ${count('refused')} failed, ${count('not-applicable')} not applicable`
  console.log(`server-over-${upstream.name}: ${totals}`)
}

async function play(upstream: Subject, cassettes: string, mode: Mode): Promise<readonly string[]> {
  const { subject, close } = serverSubject({ client, upstream, cassettes, mode })
  const statuses: string[] = []
  for (const scenario of scenarios) {
    const { status, problems } = await recordScenario({ subject, scenario, mode, from: 'simulator' })
    statuses.push(status)
    if (status === 'refused') console.log(`${subject.name}/${scenario.id}/${mode}: ${problems.join('\n')}`)
  }
  await close()
  return statuses
}
