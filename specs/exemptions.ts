import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { brokenBy, type Violation } from './judge.ts'
import { documentsAt, recordedDocuments } from './recorded.ts'
import type { Sources } from './sources.ts'

/** Rules that need not be kept. */
export interface Exemptions {
  /** Mistakes of specifications: a recording of the provider that breaks the rule too, by rule. */
  readonly mistakes: Readonly<Record<string, string>>
  readonly exceptions: readonly Exception[]
}

/** `*` in a rule stands for any text. */
const exceptionSchema = z.strictObject({ rule: z.string().min(1), reason: z.string().min(1) })

export type Exception = z.infer<typeof exceptionSchema>

/** @throws Error that names the file which is no such list */
export async function readExemptions(mistakesFile: string, exceptionsFile: string): Promise<Exemptions> {
  const mistakes = z.record(z.string(), z.string())
  return {
    mistakes: await read(mistakesFile, mistakes, {}),
    exceptions: await read(exceptionsFile, z.array(exceptionSchema), []),
  }
}

async function read<Shape>(file: string, schema: z.ZodType<Shape>, none: Shape): Promise<Shape> {
  if (!existsSync(file)) return none
  try {
    return schema.parse(parse(await readFile(file, 'utf8')) ?? none)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${file} is no such list: ${reason}`, { cause })
  }
}

/** What became of violations and exemptions. */
export interface Exempted {
  readonly unexplained: readonly Violation[]
  /** Rules that recorded traffic breaks too. */
  readonly mistakes: readonly Violation[]
  readonly exceptions: readonly (Violation & Exception)[]
  /** Exemptions that exempt nothing, or that no recording bears out, each with why. */
  readonly stale: readonly string[]
  /** Mistakes whose recording does not lie here. */
  readonly unproven: number
}

/** @param folders with recorded traffic; evidence that lies in none of them is taken on trust */
export function exempt(
  violations: readonly Violation[],
  exemptions: Exemptions,
  { sources, folders }: { readonly sources: Sources; readonly folders: readonly string[] },
): Exempted {
  const { mistakes, exceptions } = exemptions
  const patterns = exceptions.map(({ rule, reason }) => ({ rule, reason, pattern: patternOf(rule) }))
  const exceptionFor = (rule: string) => patterns.find(({ pattern }) => pattern.test(rule))
  const broken = new Set(violations.map(({ rule }) => rule))
  const rules = Object.keys(mistakes)
  const judged = rules.filter((rule) => speaksHere(rule, sources))
  const proofs = new Map(judged.map((rule) => [rule, isProven(rule, mistakes[rule] ?? '', sources, folders)]))
  return {
    unexplained: violations.filter(({ rule }) => !(rule in mistakes) && exceptionFor(rule) === undefined),
    mistakes: violations.filter(({ rule }) => rule in mistakes),
    exceptions: violations.flatMap((violation) => {
      const reason = exceptionFor(violation.rule)?.reason
      return reason === undefined ? [] : [{ ...violation, reason }]
    }),
    stale: [
      ...judged.filter((rule) => !broken.has(rule)).map((rule) => `mistake that nothing needs: ${rule}`),
      ...judged
        .filter((rule) => proofs.get(rule) === false)
        .map((rule) => `mistake that ${mistakes[rule]} does not show: ${rule}`),
      ...patterns
        .filter(({ rule, pattern }) => speaksHere(rule, sources) && ![...broken].some((one) => pattern.test(one)))
        .map(({ rule }) => `exception that exempts nothing: ${rule}`),
    ],
    unproven: judged.filter((rule) => proofs.get(rule) === undefined).length,
  }
}

function patternOf(rule: string): RegExp {
  const parts = rule.split('*').map((part) => part.replaceAll(/[.[\]<>|()+?^$\\{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}

/** Rules of specifications that do not lie here, or cannot be read, cannot be judged. */
function speaksHere(rule: string, { unread }: Sources): boolean {
  return !unread.some((name) => rule.includes(` · ${name} `))
}

/** `undefined`: the recording does not lie here. */
function isProven(rule: string, location: string, sources: Sources, folders: readonly string[]): boolean | undefined {
  return documentsAt(location, folders)?.some((document) => brokenBy(document, sources).includes(rule))
}

/** Looks for a recording that breaks each of the rules, and keeps those that have one. */
export function findMistakes(
  rules: ReadonlySet<string>,
  sources: Sources,
  folders: readonly string[],
): Record<string, string> {
  const found = new Map<string, string>()
  for (const document of recordedDocuments(folders)) {
    for (const rule of brokenBy(document, sources)) {
      if (rules.has(rule) && !found.has(rule)) found.set(rule, document.location)
    }
    if (found.size === rules.size) break
  }
  return Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

export async function writeMistakes(file: string, mistakes: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(file, `${JSON.stringify(mistakes, undefined, 2)}\n`)
}
