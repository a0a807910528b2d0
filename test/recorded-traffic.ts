import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Recorded traffic beside the repository. It is no part of the project and may be missing. */
export const trafficFolders = ['real-traffic', 'real-traffic-2'].map((name) =>
  fileURLToPath(new URL(`../../shared/${name}`, import.meta.url)),
)

export const hasTraffic = trafficFolders.every((folder) => existsSync(folder))

/** Ends the titles of tests that need it, so that a run without it says so. */
export const trafficNote = hasTraffic ? '' : ' (no recorded traffic here: nothing was compared)'
