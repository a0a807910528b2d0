import { check, invalid } from './invalid-option.ts'
import { isObject } from '../wire/json.ts'
import type { RunOptions } from './loop-options.ts'

/**
 * What an option has to be: one of these words, of which the first holds where none is given; a number from 0, with the one that holds where
 * none is given; or of a kind. `other`: looked at elsewhere.
 */
export type Kind = readonly string[] | number | keyof typeof wanted

const wanted = {
  function: 'Give a function.',
  record: 'Give an object.',
  list: 'Give an array.',
  string: 'Give a text.',
  boolean: 'Give true or false.',
  model: 'Give an adapter, for example openai("gpt-5-mini") from @steploop/openai.',
  signal: 'Give the `signal` of an AbortController.',
  clock: 'Give { now, after }.',
  other: '',
}

/** What an object of a kind has at least. */
const members: Readonly<Partial<Record<keyof typeof wanted, Readonly<Record<string, Kind>>>>> = {
  record: {},
  model: { turn: 'function', capabilities: 'record' },
  // The controller instead of its signal is an easy slip.
  signal: { aborted: 'boolean', addEventListener: 'function' },
  clock: { now: 'function', after: 'function' },
}

/** Every option that there is. Code without types, and options from a file, may hold others. */
export const optionTable = {
  model: 'model',
  instructions: 'string',
  tools: 'other',
  activeTools: 'list',
  toolChoice: 'other',
  providerOptions: 'record',
  headers: 'record',
  maxSteps: 10,
  onLimit: ['finalize', 'incomplete', 'throw'],
  maxToolCalls: Infinity,
  maxTokens: Infinity,
  maxCost: Infinity,
  costOf: 'function',
  maxRepeatedCalls: 4,
  maxToolCallsPerStep: 128,
  maxToolConcurrency: 16,
  eagerTools: 'boolean',
  toolTimeout: 30_000,
  turnTimeout: 0,
  timeout: 0,
  onToolError: ['answer', 'throw'],
  unknownTools: ['answer', 'client'],
  denyCall: 'function',
  preset: 'function',
  policies: 'list',
  middleware: 'other',
  maxRetries: 2,
  fallbacks: 'list',
  continuation: ['auto', 'off'],
  output: 'other',
  stopWhen: 'function',
  prepareStep: 'function',
  clock: 'clock',
  random: 'function',
  generateId: 'function',
  abortSignal: 'signal',
  refineInput: 'function',
  onInvalidInput: 'function',
  onStepStart: 'function',
  onResponse: 'function',
  onToolStart: 'function',
  onToolExecuted: 'function',
  onStepEnd: 'function',
  maxOutputTokens: 'other',
  temperature: 'other',
  topP: 'other',
  topK: 'other',
  presencePenalty: 'other',
  frequencyPenalty: 'other',
  stopSequences: 'list',
  seed: 'other',
  reasoning: 'other',
  parallelToolCalls: 'boolean',
} as const satisfies Readonly<Record<keyof RunOptions, Kind>>

type Table = typeof optionTable
type NameOf<Wanted> = { [Name in keyof Table]: Table[Name] extends Wanted ? Name : never }[keyof Table]
type CountName = NameOf<number>
type WordName = NameOf<readonly string[]>

/** The option, whole, or its default. Options that were checked: it is a number. */
export function countOf(options: RunOptions, name: CountName): number {
  const given = options[name]
  return typeof given === 'number' ? Math.floor(given) : optionTable[name]
}

/** Options with the defaults of numbers and words. */
export type Defaulted = Omit<RunOptions, CountName | WordName> &
  Readonly<Record<CountName, number>> & { readonly [Name in WordName]: Table[Name][number] }

/** Options that were checked, and what holds where none is given. */
export function withDefaults(options: RunOptions): Defaulted {
  const made: Record<string, unknown> = { ...options }
  for (const [name, kind] of Object.entries(optionTable)) {
    if (typeof kind === 'number') made[name] = countOf(options, name as CountName)
    else if (typeof kind !== 'string') made[name] ??= kind[0]
  }
  return made as Defaulted
}

/** Throws `LoopError` `invalid-options` for a value of another kind; `owner` stands before its name. */
export function checkKind(name: string, value: unknown, kind: Kind, owner = ''): void {
  check(fits(value, kind), `${owner}\`${name}\``, value, wantedOf(kind))
}

/** Throws `LoopError` `invalid-options` for a name that is none, and for a value of another kind. */
export function checkKinds(owner: string, given: object, kinds: Readonly<Record<string, Kind>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined)
      throw invalid(`${owner}\`${name}\` is no option. There are: ${Object.keys(kinds).join(', ')}.`)
    checkKind(name, value, kind, owner)
  }
}

function fits(value: unknown, kind: Kind): boolean {
  if (typeof kind === 'number') return typeof value === 'number' && value >= 0
  if (typeof kind !== 'string') return kind.includes(value as string)
  const inside = members[kind]
  if (inside !== undefined) {
    return isObject(value) && Object.entries(inside).every(([name, inner]) => fits(value[name], inner))
  }
  return kind === 'other' || kind === (Array.isArray(value) ? 'list' : typeof value)
}

function wantedOf(kind: Kind): string {
  if (typeof kind === 'number') return 'Give a number from 0.'
  if (typeof kind !== 'string') return `It takes: ${kind.join(', ')}.`
  return wanted[kind]
}
