import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CassetteError, readCassette, type Cassette } from '@steploop/cassette'
import type { Mode } from '@steploop/core'
import { HarnessError, type Scenario, type Subject } from '@steploop/conformance'
import { cassettePath, replayFetch, playScenario, lineDiff, printSkeleton, traceOf } from '@steploop/conformance/cli'
import { compareCassettes } from './compare-shapes.ts'
import { driftReport, finding, type DriftFinding, type DriftReport, type WireDrift } from './drift-report.ts'

export interface FolderDriftOptions {
  readonly subjects: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  readonly modes: readonly Mode[]
  /** Folder with other cassettes of these subjects, one folder per subject in it: of another version of the server. */
  readonly folder: string
  /** Called before each subject. */
  readonly onProgress?: ((number: number, total: number, name: string) => void) | undefined
}

/**
 * Holds cassettes against others of the same cases, without any server: what changed from the first to the second, in shape and in what
 * the runs did.
 *
 * @throws HarnessError `unreadable-input` for cassettes that cannot be read, or when the folder has none of these cases
 */
export async function folderDrift({
  subjects,
  folder,
  onProgress,
  ...options
}: FolderDriftOptions): Promise<DriftReport> {
  const wires: WireDrift[] = []
  for (const [index, subject] of subjects.entries()) {
    onProgress?.(index + 1, subjects.length, subject.name)
    const drift = await driftOf(subject, { ...subject, cassettes: join(folder, subject.name) }, options)
    if (drift !== undefined) wires.push(drift)
  }
  if (wires.length > 0) return driftReport(`the cassettes in ${folder} against those of the subjects`, wires)
  const fix = 'Give the folder that holds a folder for each subject, as `steploop live record --out DIR` writes it.'
  throw new HarnessError(
    'unreadable-input',
    `${folder} has no cassettes of cases that the chosen subjects have. ${fix}`,
  )
}

async function driftOf(
  before: Subject,
  after: Subject,
  { scenarios, modes }: Pick<FolderDriftOptions, 'scenarios' | 'modes'>,
): Promise<WireDrift | undefined> {
  const [known, fresh]: [Cassette[], Cassette[]] = [[], []]
  const findings: DriftFinding[] = []
  for (const scenario of scenarios) {
    for (const mode of modes) {
      const paths = [before, after].map((subject) => cassettePath(subject, scenario.id, mode))
      if (!paths.every((path) => existsSync(path))) continue
      const [then, now] = [await replayed(before, scenario, mode), await replayed(after, scenario, mode)]
      known.push(then.cassette)
      fresh.push(now.cassette)
      if (then.skeleton === now.skeleton) continue
      const message = `the run does something else (- before, + now):\n${lineDiff(then.skeleton, now.skeleton)}`
      findings.push(finding('skeleton', `${before.name}/${scenario.id}/${mode}`, message))
    }
  }
  if (known.length === 0) return undefined
  const { wire, name } = before
  return {
    wire,
    subject: name,
    cases: known.length,
    findings: [...findings, ...compareCassettes(known, fresh, wire)],
  }
}

async function replayed(subject: Subject, scenario: Scenario, mode: Mode) {
  const path = cassettePath(subject, scenario.id, mode)
  try {
    const cassette = readCassette(path)
    const { fetch } = replayFetch(cassette, path)
    const { runs } = await playScenario({ subject, scenario, mode, deadline: 20_000, fetch })
    return { cassette, skeleton: printSkeleton(traceOf(runs)) }
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    throw new HarnessError('unreadable-input', error.message, { cause: error })
  }
}
