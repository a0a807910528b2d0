import { isObject } from '@steploop/core/adapter'
import { parseJsonFile, unreadable } from '@steploop/conformance/cli'

/** Stands wherever more than one reading can be defended: that member is not compared. */
export const undecided = 'UNDECIDED'

export type Undecidable<Value> = Value | typeof undecided

/** The canonical turn that a correct adapter makes of one response. Members that a key leaves out are not compared. */
export interface ExpectedTurn {
  readonly error?: Undecidable<ExpectedError | null> | undefined
  readonly text?: Undecidable<string> | undefined
  readonly reasoningText?: Undecidable<string> | undefined
  readonly refusal?: Undecidable<string | null> | undefined
  readonly toolCalls?: Undecidable<readonly ExpectedCall[]> | undefined
  readonly finish?: Undecidable<string> | undefined
  readonly rawFinish?: Undecidable<string | null> | undefined
  readonly usage?: Undecidable<ExpectedUsage | null> | undefined
  readonly responseId?: Undecidable<string | null> | undefined
  readonly responseModel?: Undecidable<string | null> | undefined
  /** Strings that have to be in the next request to the same provider. */
  readonly opaque?: Undecidable<readonly string[]> | undefined
  /** Groups of strings, of each of which at least one has to be in the next request. */
  readonly opaqueOneOf?: Undecidable<readonly (readonly string[])[]> | undefined
  /** Number of distinct citation URLs. */
  readonly sources?: Undecidable<number> | undefined
  readonly handEdited?: boolean | undefined
}

export interface ExpectedError {
  readonly kind: string
  readonly messageIncludes: string
  readonly inBand: Undecidable<boolean>
  readonly contentBefore: Undecidable<boolean>
}

export interface ExpectedCall {
  /** The provider's own; `null`: it gave none. */
  readonly id: string | null
  readonly name: string
  readonly input: unknown
  readonly inputValid: Undecidable<boolean>
  readonly owner: string
}

export interface ExpectedUsage {
  readonly inputTokens: Undecidable<number | null>
  readonly outputTokens: Undecidable<number | null>
  readonly cachedInputTokens: Undecidable<number | null>
  readonly reasoningTokens: Undecidable<number | null>
}

/** Per file one entry per interaction; `null`: not covered. */
export type AnswerKey = Readonly<Record<string, readonly (ExpectedTurn | null)[]>>

/** @throws HarnessError `unreadable-input` that names the file when it is no answer key */
export function parseAnswerKey(text: string, file: string): AnswerKey {
  const root = parseJsonFile(text, file)
  const sound = isObject(root) && Object.values(root).every((list) => Array.isArray(list) && list.every(isEntry))
  if (!sound) throw unreadable(file, 'is no answer key: it has to map each file to a list of turns or nulls.')
  return root as AnswerKey
}

function isEntry(value: unknown): boolean {
  return value === null || isObject(value)
}
