import { HarnessError, type Subject } from '@steploop/conformance'
import { checkRecording } from './check-recording.ts'
import { disputes, type Dispute } from './disputed.ts'
import { emptyWireReport, type TrafficFinding, type TrafficReport, type WireReport } from './report.ts'
import { openTraffic, readRecording } from './traffic-files.ts'

export interface TrafficOptions {
  /** Folder with recordings, grouped in folders, and perhaps an answer key. */
  readonly directory: string
  readonly subjects: readonly Subject[]
  /** Only this folder of `directory`. */
  readonly wire?: string | undefined
  /** Only files whose path holds this text. */
  readonly file?: string | undefined
  /** Default: the project's own list. */
  readonly disputes?: readonly Dispute[] | undefined
  /** Called before each file. */
  readonly onProgress?: ((number: number, total: number, file: string) => void) | undefined
}

/**
 * Checks adapters against recorded traffic: decodes every response, compares it with the answer key where there is one, decodes every
 * stream again in other chunks, and ends it early to see that nothing unfinished is taken for an answer.
 *
 * @throws HarnessError `unreadable-input` for a folder or file that cannot be read, `usage` when the selection is empty
 */
export async function runTraffic(options: TrafficOptions): Promise<TrafficReport> {
  const folder = await openTraffic(options.directory)
  const files = selectFiles(folder.files, options)
  const wires: Record<string, WireReport> = {}
  const findings: TrafficFinding[] = []
  const checking = { subjects: options.subjects, key: folder.key, disputes: options.disputes ?? disputes }
  let done = 0
  for (const file of files) {
    options.onProgress?.(++done, files.length, file)
    const recording = await readRecording(options.directory, file)
    if (options.wire !== undefined && recording.group !== options.wire) continue
    const report = await checkRecording(recording, checking)
    addCounts((wires[recording.group] ??= emptyWireReport()), report.counts)
    findings.push(...report.findings)
  }
  if (Object.keys(wires).length === 0) throw nothingSelected(folder.files, options)
  return { directory: options.directory, key: folder.key !== undefined, wires, findings }
}

/** Files at the top belong to the wire format that they name, so they have to be read first. */
function selectFiles(files: readonly string[], { wire, file }: TrafficOptions): readonly string[] {
  return files.filter((path) => {
    const mayBeOfWire = wire === undefined || path.startsWith(`${wire}/`) || !path.includes('/')
    return mayBeOfWire && (file === undefined || path.includes(file))
  })
}

function nothingSelected(files: readonly string[], { directory, wire, file }: TrafficOptions): HarnessError {
  if (files.length === 0) {
    const fix = 'Give the folder that holds the recordings.'
    return new HarnessError('unreadable-input', `${directory} has no recordings (*.json). ${fix}`, { file: directory })
  }
  const folders = new Set(files.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))))
  const wanted = [
    wire === undefined ? '' : ` of '${wire}' (its folders: ${[...folders].join(', ') || 'none'})`,
    file === undefined ? '' : ` whose path holds '${file}'`,
  ]
  return new HarnessError('usage', `${directory} has no recording${wanted.join('')}. Widen the selection.`)
}

/** Adds numbers, and the numbers of the groups inside. */
function addCounts(total: WireReport, part: WireReport): void {
  addNumbers(total, part)
  addNumbers(total.read, part.read)
  addNumbers(total.handEdited, part.handEdited)
  addNumbers(total.survival, part.survival)
}

function addNumbers<Counts extends object>(total: Counts, part: Counts): void {
  for (const [name, value] of Object.entries(part)) {
    if (typeof value === 'number') Object.assign(total, { [name]: Number(Reflect.get(total, name)) + value })
  }
}
