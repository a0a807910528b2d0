import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cassette } from '@steploop/cassette'
import { scenarios, type Subject } from '@steploop/conformance'
import { isCassetteName, shownPath } from './find-files.ts'

/** What the location of a file says about it. */
export interface PathProblem {
  /** `orphan`: nothing replays it. `header`: it says something else than its location. `unexpected-file`: no cassette at all. */
  readonly rule: 'orphan' | 'header' | 'unexpected-file'
  readonly message: string
}

/** Folder of a subject's cassettes, absolute; `undefined` for one without HTTP, which has none. */
export function cassetteFolder({ cassettes, turnScript }: Subject): string | undefined {
  if (turnScript !== undefined) return undefined
  const isUrl = cassettes instanceof URL || cassettes.startsWith('file:')
  return resolve(isUrl ? fileURLToPath(cassettes) : cassettes)
}

/** Names the file as no cassette; readmes and dot files may lie beside them. */
export function unexpectedFile(name: string): readonly PathProblem[] {
  if (isCassetteName(name) || /(?:^|\/)(?:\..*|[^/]*\.md)$/.test(name)) return []
  return [{ rule: 'unexpected-file', message: 'It is no cassette (*.yaml). Remove it, or move it out of the folder.' }]
}

/**
 * Holds a cassette against the subjects: its folder has to be one of theirs, its name a scenario with a mode, and its header has to agree.
 * Imports may lie anywhere and replay anything.
 */
export function pathProblems(path: string, { header }: Cassette, subjects: readonly Subject[]): readonly PathProblem[] {
  if (header.origin.kind === 'imported') return []
  const file = resolve(path)
  const subject = subjects.find((one) => cassetteFolder(one) === dirname(file))
  if (subject === undefined) return orphan(`No subject of the config has the folder ${shownPath(dirname(path))}.`)
  const named = scenarios.flatMap(({ id }) => (['generate', 'stream'] as const).map((mode) => ({ id, mode })))
  const found = named.find(({ id, mode }) => basename(file) === `${id}.${mode}.yaml`)
  if (found === undefined) return orphan('No scenario has this name.')
  const expected = { scenario: found.id, mode: found.mode, provider: subject.name, wire: subject.wire }
  return Object.entries(expected).flatMap(([key, value]) => {
    const said = { ...header }[key as keyof typeof expected]
    if (said === value) return []
    const message = `Its header says ${key} "${said}" where "${value}" is expected. Record it anew.`
    return [{ rule: 'header' as const, message }]
  })
}

function orphan(why: string): readonly PathProblem[] {
  return [{ rule: 'orphan', message: `${why} Remove it, rename it, or list it as an exception.` }]
}
