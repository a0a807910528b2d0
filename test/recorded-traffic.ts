import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Recorded traffic beside the repository. It is no part of the project and may be missing. */
export const trafficFolders = globSync(fileURLToPath(new URL('../../shared/real-traffic*', import.meta.url))).toSorted()

export const hasTraffic = trafficFolders.length > 0

/** Ends the titles of tests that need it, so that a run without it says so. */
export const trafficNote = hasTraffic ? '' : ' (no recorded traffic here: nothing was compared)'
