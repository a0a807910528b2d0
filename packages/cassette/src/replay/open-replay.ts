import type { Cassette } from '../cassette.ts'
import { readCassette } from '../file/cassette-file.ts'
import { createReplay, type Replay, type ReplayOptions } from './replay.ts'

/** A replay of a cassette, or of the file at a path. */
export function openReplay(source: Cassette | string, options: ReplayOptions): Replay {
  if (typeof source !== 'string') return createReplay(source, options)
  return createReplay(readCassette(source), { ...options, fileName: options.fileName ?? source })
}
