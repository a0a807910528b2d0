import { randomUUID, createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkName, rename } from './adapter-name.ts'
import type { Framing, Kind } from './kinds.ts'
import { withRanges } from './package-ranges.ts'
import { ScaffoldError } from './scaffold-error.ts'

export interface ScaffoldOptions {
  /** Folder to make; it may exist if it is empty, or holds a new repository of Git's. */
  readonly folder: string
  readonly kind: Kind
  /** Name of the adapter: `my-llm`. */
  readonly name: string
  /** Framing of the kind `own-format`. Default: that of the template, `ndjson`. */
  readonly framing?: Framing | undefined
  /** Day from which known failures of the template expire, half a year later. Default: today. */
  readonly today?: Date | undefined
}

/** What npm leaves out of tarballs, or reads itself, under the name that it has in `templates/`. */
const realNames: Readonly<Record<string, string>> = {
  gitattributes: '.gitattributes',
  gitignore: '.gitignore',
  github: '.github',
  'manifest.json': 'package.json',
}

const expiryMark = '2000-01-01'

/**
 * Writes the package, whole or not at all: into a folder beside the target, which then takes its place. A target that is there stays the
 * same folder, because somebody may stand in it: the draft is made within, and moved up.
 *
 * @returns the files that were written, from the new folder, sorted
 * @throws ScaffoldError `usage` for a name that cannot be used, `target` for a folder that cannot
 */
export function writeScaffold({ folder, kind, name, framing, today = new Date() }: ScaffoldOptions): readonly string[] {
  checkName(name)
  checkWord(name, kind)
  const target = resolve(folder)
  checkTarget(target)
  const isThere = existsSync(target)
  const draft = join(isThere ? target : dirname(target), `.${basename(target)}-${randomUUID().slice(0, 8)}`)
  makeDraft(draft)
  try {
    const files = copyTemplate(kind, draft, { name, expires: halfAYearAfter(today) })
    if (kind === 'own-format' && framing !== undefined && framing !== 'ndjson') {
      copyFileSync(join(templateFolder('framings'), `${framing}.ts`), join(draft, 'src/framing.ts'))
    }
    if (isThere) moveUp(draft, target)
    else renameSync(draft, target)
    return files
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

function moveUp(draft: string, target: string): void {
  const moved: string[] = []
  try {
    for (const name of readdirSync(draft)) {
      renameSync(join(draft, name), join(target, name))
      moved.push(name)
    }
    rmdirSync(draft)
  } catch (error) {
    for (const name of moved) rmSync(join(target, name), { recursive: true, force: true })
    throw error
  }
}

/** @throws ScaffoldError `target` where no folder can be made: a file is in the way, or permissions are */
function makeDraft(draft: string): void {
  try {
    // Not where it is there: in a folder that takes none, as in /proc, Node would try for ever.
    if (!existsSync(dirname(draft))) mkdirSync(dirname(draft), { recursive: true })
    mkdirSync(draft)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new ScaffoldError('target', `No folder can be made in ${dirname(draft)} (${reason}). Give another one.`)
  }
}

/** `export const new` would not compile, and two declarations of `origin` neither. */
function checkWord(name: string, kind: Kind): void {
  const adapter = readFileSync(join(templateFolder(kind), 'src/my-llm.ts'), 'utf8')
  const words = new Set(adapter.replace(commentOrText, '').match(/\w+/g))
  const made = [...words].filter((word) => rename(word, name) !== word).map((word) => rename(word, name))
  if (!made.some((word) => words.has(word) || reserved.has(word))) return
  const fix = `Give another one with --name, for example ${name}-llm.`
  throw new ScaffoldError('usage', `'${name}' is a word of the adapter's code, or of JavaScript. ${fix}`)
}

const commentOrText = /\/\*[^]*?\*\/|'[^'\n]*'|`[^`]*`|\/\/.*/g

/** ECMA-262, section 12.7.2, and what strict code, as every module is, refuses besides. */
const reserved: ReadonlySet<string> = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
)

function templateFolder(template: string): string {
  return fileURLToPath(new URL(`../templates/${template}/`, import.meta.url))
}

/** @throws ScaffoldError `target` unless the folder is missing, empty, or holds nothing but `.git` */
export function checkTarget(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) {
    throw new ScaffoldError('target', `${folder} is a file. Give the name of a folder that does not exist yet.`)
  }
  const first = readdirSync(folder).find((name) => name !== '.git')
  if (first === undefined) return
  throw new ScaffoldError(
    'target',
    `${folder} is not empty: it has ${first}. Give another folder; nothing is written over.`,
  )
}

interface Facts {
  readonly name: string
  readonly expires: string
}

function copyTemplate(kind: Kind, to: string, { name, expires }: Facts): readonly string[] {
  const written = ['shared', kind].flatMap((template) => {
    const from = templateFolder(template)
    return filesIn(from).map((file) => {
      const path = rename(relative(from, file), name)
        .split(/[/\\]/)
        .map((part) => realNames[part] ?? part)
        .join('/')
      const text = readFileSync(file, 'utf8')
      mkdirSync(dirname(join(to, path)), { recursive: true })
      writeFileSync(
        join(to, path),
        path.startsWith('cassettes/') ? ownedCassette(text, name) : filled(path, text, { name, expires }),
      )
      return path
    })
  })
  return written.toSorted()
}

function filled(path: string, text: string, { name, expires }: Facts): string {
  const renamed = rename(text, name).replaceAll(expiryMark, expires)
  return path === 'package.json' ? withRanges(renamed) : renamed
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function halfAYearAfter(day: Date): string {
  const later = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 6, 1))
  return later.toISOString().slice(0, 10)
}

const hashLine = /^sha256: [0-9a-f]{64}\n/m

/**
 * An example cassette as one of the new adapter's: its header names the adapter, and its hash, which speaks of every byte but its own line,
 * is made anew. Bodies stay as they are, whatever they hold.
 */
function ownedCassette(text: string, name: string): string {
  // Both stand in the header, and so before anything in a body that looks like them.
  const owned = text.replace(/^provider: ".*"$/m, `provider: "${name}"`)
  const hash = createHash('sha256').update(owned.replace(hashLine, '')).digest('hex')
  return owned.replace(hashLine, `sha256: ${hash}\n`)
}
