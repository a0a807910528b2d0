import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { repository } from './source-files.ts'

/** As GitHub makes anchors of headings. */
export function anchorsOf(markdown: string): readonly string[] {
  const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => (heading ?? '').toLowerCase())
  return headings.map((heading) => heading.replace(/[^\p{L}\p{N}\- ]/gu, '').replaceAll(' ', '-'))
}

/** Pages of this repository, written from its root: `docs/wire.md#chat-usage`. What is part of an address is not ours. */
const citation = /(?<![\w/.-])docs\/[\w-]+\.md(?:#[\w-]*)?/g

/** A document by its name in capitals and a number in it, which nobody else can open. */
const privateCitation = /\b(?:WIRE|DESIGN|BEHAVIOURS|CONTRACT|PEERS|STYLE|SCENARIOS|SERVER) (?:[A-Z]?\d|part)/g

const anchors = new Map<string, readonly string[] | undefined>()

function anchorsOfPage(page: string): readonly string[] | undefined {
  if (!anchors.has(page)) {
    const path = resolve(repository, page)
    anchors.set(page, existsSync(path) ? anchorsOf(readFileSync(path, 'utf8')) : undefined)
  }
  return anchors.get(page)
}

/** What a text cites that a reader of the repository cannot open. */
export function brokenCitations(text: string): readonly string[] {
  const own = [...text.matchAll(citation)].map(([cited]) => cited)
  const broken = own.filter((cited) => {
    const [page = '', anchor] = cited.split('#')
    const found = anchorsOfPage(page)
    return found === undefined || (anchor !== undefined && !found.includes(anchor))
  })
  return [...broken, ...[...text.matchAll(privateCitation)].map(([cited]) => cited)]
}
