import { existsSync } from 'node:fs'
import { readCassette, type Cassette } from '@steploop/cassette'
import { HarnessError, scenarios, type Subject } from '@steploop/conformance'
import { cassettePath, onlySimulated, detectExchange } from '@steploop/conformance/cli'
import { pickSubject } from '../traffic/pick-subject.ts'
import { openTraffic, readRecording } from '../traffic/traffic-files.ts'
import { compareShapes } from './compare-shapes.ts'
import { driftReport, type DriftReport } from './drift-report.ts'
import { wireShape, type ShapedResponse } from './wire-shape.ts'

export interface TrafficDriftOptions {
  /** All subjects of the config: each recorded exchange belongs to one of them. */
  readonly subjects: readonly Subject[]
  /** Names of those to report. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Folder with recorded traffic. */
  readonly directory: string
  /** Called before each file. */
  readonly onProgress?: ((number: number, total: number, name: string) => void) | undefined
}

/**
 * Holds cassettes against recorded traffic of the same providers: what they say that no recording has. What they lack is no finding, as
 * scenarios use less than real applications.
 *
 * @throws HarnessError `unreadable-input` for traffic that cannot be read, or when there is none of the chosen subjects
 */
export async function trafficDrift({
  subjects,
  only = [],
  directory,
  onProgress,
}: TrafficDriftOptions): Promise<DriftReport> {
  const recorded = await recordedResponses(subjects, directory, onProgress)
  const chosen = subjects.filter(({ name }) => only.length === 0 || only.includes(name))
  const wires = chosen.flatMap((subject) => {
    const known = recorded.get(subject.name)
    const cassettes = cassettesOf(subject)
    if (known === undefined || cassettes.length === 0) return []
    const said = cassettes.flatMap(({ exchanges }) => exchanges.map(({ response }) => response))
    const { wire, name } = subject
    const findings = compareShapes(wireShape(known, wire), wireShape(said, wire), { onlyBeyond: true })
    return [{ wire, subject: name, cases: cassettes.length, findings }]
  })
  if (wires.length > 0) return driftReport(`the cassettes against the traffic in ${directory}`, wires)
  const fix = 'Widen the selection, or give the folder that holds them.'
  throw new HarnessError('unreadable-input', `${directory} has no recordings of the chosen subjects. ${fix}`)
}

async function recordedResponses(
  subjects: readonly Subject[],
  directory: string,
  onProgress: TrafficDriftOptions['onProgress'],
): Promise<ReadonlyMap<string, readonly ShapedResponse[]>> {
  const bySubject = new Map<string, ShapedResponse[]>()
  const { files } = await openTraffic(directory)
  for (const [index, file] of files.entries()) {
    onProgress?.(index + 1, files.length, file)
    const { handEdited, interactions } = await readRecording(directory, file)
    if (handEdited) continue
    for (const interaction of interactions) {
      const { status, headers, bytes } = interaction.response
      const name = pickSubject(subjects, detectExchange(interaction, subjects))?.name
      if (name === undefined || bytes === undefined) continue
      const response = { status, headers: Object.fromEntries(headers), body: bytes }
      bySubject.set(name, [...(bySubject.get(name) ?? []), response])
    }
  }
  return bySubject
}

/** Cassettes of answers that a provider gives by itself. Faults that are only simulated say nothing of its shapes. */
function cassettesOf(subject: Subject): readonly Cassette[] {
  const cases = scenarios.filter((scenario) => onlySimulated(scenario) === undefined)
  const modes = ['generate', 'stream'] as const
  const paths = cases.flatMap(({ id }) => modes.map((mode) => cassettePath(subject, id, mode)))
  return paths.filter((path) => existsSync(path)).map((path) => readCassette(path))
}
