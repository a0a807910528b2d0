import { resolve } from 'node:path'
import { select, text } from '@clack/prompts'
import { checkName, nameFrom } from './adapter-name.ts'
import { framings, framingTitles, kinds, kindTitles, type Framing, type Kind } from './kinds.ts'
import type { Arguments } from './parse-arguments.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { checkTarget } from './write-scaffold.ts'

/** All that a scaffold needs to know. */
export interface Answers {
  readonly folder: string
  readonly kind: Kind
  readonly name: string
  /** Framing of an own format. */
  readonly framing?: Framing | undefined
}

const defaults = { name: 'my-llm', kind: 'http' } as const

/** What was not given, by default. */
export function withDefaults({ folder, kind = defaults.kind, name, framing }: Arguments): Answers {
  const chosen = name ?? (folder === undefined ? defaults.name : checkName(nameFrom(resolve(folder))))
  return { folder: folder ?? chosen, kind, name: chosen, framing }
}

/**
 * Asks for what was not given. Only where somebody can answer: without a terminal the questions would end the process in silence.
 *
 * @throws ScaffoldError `cancelled` when a question is left
 */
export async function ask(args: Arguments): Promise<Answers> {
  const folder = args.folder ?? (await askFolder())
  checkTarget(folder)
  const name = args.name ?? (await askName(nameFrom(resolve(folder))))
  const kind = args.kind ?? (await askKind())
  const framing = kind === 'own-format' ? (args.framing ?? (await askFraming())) : undefined
  return { folder, kind, name, framing }
}

async function askFolder(): Promise<string> {
  const answer = await text({
    message: 'Folder to make',
    placeholder: defaults.name,
    defaultValue: defaults.name,
    validate: (value) => complaint(() => checkTarget(value === undefined || value === '' ? defaults.name : value)),
  })
  return answered(answer)
}

async function askName(initialValue: string): Promise<string> {
  const answer = await text({
    message: 'Name of the adapter',
    initialValue,
    validate: (value) => complaint(() => checkName(value ?? '')),
  })
  return answered(answer)
}

async function askKind(): Promise<Kind> {
  const answer: Kind | symbol = await select({
    message: 'How does the provider speak?',
    initialValue: defaults.kind,
    options: kinds.map((kind) => ({ value: kind, label: kind, hint: kindTitles[kind] })),
  })
  return answered(answer)
}

async function askFraming(): Promise<Framing> {
  const answer: Framing | symbol = await select({
    message: 'How are its streams cut?',
    options: framings.map((framing) => ({ value: framing, label: framing, hint: framingTitles[framing] })),
  })
  return answered(answer)
}

/** A question that is left gives a symbol. */
function answered<Answer extends string>(answer: Answer | symbol): Answer {
  if (typeof answer === 'symbol') throw new ScaffoldError('cancelled', 'Cancelled. Nothing was written.')
  return answer
}

function complaint(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
