import { existsSync, readdirSync } from 'node:fs'
import type { Subject } from '@steploop/conformance'
import { subjects } from './live.config.ts'

/** Scenarios of which a recording lies here: what a server cannot be made to show has none. */
function recorded({ cassettes }: Subject): readonly string[] {
  const folder = new URL(cassettes)
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : []
  return [...new Set(files.map((name) => name.replace(/\.\w+\.yaml$/, '')))]
}

/** The recordings of local servers, replayed without any server: `pnpm conformance:local`. */
export default { subjects: subjects.map((subject) => ({ ...subject, scenarios: recorded(subject) })) }
