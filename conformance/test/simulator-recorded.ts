import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { RecordedRequest } from '../src/wires/read/recording.ts'

/** Where recorded traffic lies, beside the repository. It is no part of the project and may be missing. */
const folder = new URL('../../../shared/real-traffic/', import.meta.url)

export const hasRecordedTraffic = existsSync(folder)

/** Ends the titles of tests that need recorded traffic, so that a run without it says so. */
export const trafficNote = hasRecordedTraffic ? '' : ' (no recorded traffic here: nothing was compared)'

export interface RecordedExchange {
  /** Folder, file and number, for messages. */
  readonly address: string
  readonly handEdited: boolean
  readonly request: RecordedRequest | null
  readonly response: RecordedResponse
}

export interface RecordedResponse {
  readonly status: number
  readonly body?: unknown
  readonly sse?: string
}

interface RecordedFile {
  readonly handEdited?: boolean
  readonly interactions: readonly { readonly request: RecordedRequest | null; readonly response: RecordedResponse }[]
}

/** All recorded exchanges of some folders; none when there is no recorded traffic. */
export function recordedExchanges(folders: readonly string[]): readonly RecordedExchange[] {
  if (!hasRecordedTraffic) return []
  return folders.flatMap((name) => {
    const directory = new URL(`${name}/`, folder)
    const files = readdirSync(directory).filter((file) => file.endsWith('.json'))
    return files.toSorted().flatMap((file) => {
      const recorded = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as RecordedFile
      return recorded.interactions.map(({ request, response }, index) => ({
        address: `${name}/${file}#${index}`,
        handEdited: recorded.handEdited === true,
        request,
        response,
      }))
    })
  })
}
