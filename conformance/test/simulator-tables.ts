import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Lines of a table of this folder by the `[section]` that they stand in, without comments and blank lines. */
export function sectionsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(resolve(import.meta.dirname, table), 'utf8').split('\n')
  const sections = new Map<string, string[]>()
  let rows: string[] = []
  for (const line of lines.filter((text) => text !== '' && !text.startsWith('#'))) {
    const section = /^\[(.+)\]$/.exec(line)?.[1]
    if (section === undefined) rows.push(line)
    else sections.set(section, (rows = []))
  }
  return sections
}
