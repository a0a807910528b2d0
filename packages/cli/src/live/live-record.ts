import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { liveError } from './servers/live-error.ts'
import type { LiveJob } from './live-job.ts'
import { printCase } from './live-report.ts'
import { recordLocal, type RecordedCase } from './record-local.ts'
import type { ServerKind } from './servers/server-kind.ts'

/** Plays the scenarios through one kind of server, and keeps what is recorded where the order says so. */
export async function record(job: LiveJob, kind: ServerKind): Promise<void> {
  const { subjects, scenarios, modes, signal, report, progress } = job
  const scratch = mkdtempSync(join(tmpdir(), 'steploop-live-'))
  const homes = new Map(subjects.map((subject) => [subject.name, subject]))
  const onCase = (one: RecordedCase): void => {
    report.recorded.push(one)
    const home = homes.get(one.name.split('/')[0] ?? '')
    if (one.status === 'written' && home !== undefined) keep(one.name, scratch, job.target?.(home))
    const said = printCase(one)
    if (said === undefined) return
    progress.end()
    console.log(said)
  }
  try {
    await recordLocal({
      kind,
      scenarios,
      modes,
      signal,
      onCase,
      subjects: subjects
        .filter(({ wire }) => kind.wires.includes(wire))
        .map((subject) => ({ ...subject, cassettes: join(scratch, subject.name) })),
      onScenario: (number, total, id) => progress.begin(number, total, id),
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Nothing half-written gets a cassette's name. */
function keep(name: string, scratch: string, target: string | URL | undefined): void {
  if (target === undefined) return
  const [subject = '', scenario, mode] = name.split('/')
  const folder = target instanceof URL ? fileURLToPath(target) : target
  const file = join(scratch, subject, `${scenario}.${mode}.yaml`)
  const partial = join(folder, `.${basename(file)}.partial`)
  try {
    mkdirSync(folder, { recursive: true })
    copyFileSync(file, partial)
    renameSync(partial, join(folder, basename(file)))
  } catch (cause) {
    rmSync(partial, { force: true })
    throw liveError(
      `${join(folder, basename(file))} cannot be written: ${String(cause)}.`,
      'Make room there, or give another --out.',
    )
  }
}
