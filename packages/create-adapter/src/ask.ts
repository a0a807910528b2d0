import { resolve } from 'node:path'
import { select, text } from '@clack/prompts'
import { checkName, nameFrom } from './adapter-name.ts'
import { kinds, kindTitles, type Kind } from './kinds.ts'
import type { Arguments } from './parse-arguments.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { checkTarget } from './write-scaffold.ts'

/** All that a scaffold needs to know. */
export interface Answers {
  readonly folder: string
  readonly kind: Kind
  readonly name: string
}

const defaults = { name: 'my-llm', kind: 'http' } as const

/** What was not given, by default. */
export function withDefaults({ folder, kind = defaults.kind, name }: Arguments): Answers {
  const chosen = name ?? (folder === undefined ? defaults.name : checkName(nameFrom(resolve(folder))))
  return { folder: folder ?? chosen, kind, name: chosen }
}

/**
 * Asks for what was not given. Only where somebody can answer: without a terminal the questions would end the process in silence.
 *
 * @throws ScaffoldError `cancelled` when a question is left
 */
export async function ask(given: Arguments): Promise<Answers> {
  const folder = given.folder ?? (await askFolder())
  checkTarget(folder)
  const name = given.name ?? (await askName(nameFrom(resolve(folder))))
  const kind = given.kind ?? (await askKind())
  return { folder, kind, name }
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
