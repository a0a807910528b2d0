import type { Mode } from '@steploop/core'
import { choices, type Choice, type Feature } from './shown-claims.ts'

/** Where a scenario applies: everywhere, unless it says otherwise. Where it does not, reports give the reason. */
export interface AppliesTo {
  /** What an adapter has to declare, and a subject to have. Default: nothing. */
  readonly requires?: readonly Requirement[] | undefined
  /**
   * Capabilities whose absence it is about: where an adapter declares one of them there is no such case, and no report speaks of one.
   */
  readonly without?: readonly Feature[] | undefined
  /** Modes in which it cannot be shown, each with the reason. */
  readonly modes?: Readonly<Partial<Record<Mode, string>>> | undefined
  /**
   * Where it exists, for what only some wire formats or dialects do: scopes as `scopesOf` names them, alone or with `/<mode>`.
   * Elsewhere there is no such case, and no report speaks of one. Default: everywhere.
   */
  readonly wires?: readonly string[] | undefined
  /** Stressors that would change what the scenario is about, each with the reason. */
  readonly stressors?: Readonly<Record<string, string>> | undefined
}

/**
 * A capability flag, a kind of tool choice, that the subject names the environment variable of its key, or a question that gives the reason
 * why the scenario does not apply to an adapter with these flags, `undefined` where it does.
 */
export type Requirement =
  | Feature
  | `toolChoice:${Choice}`
  | 'apiKeyVariable'
  | ((can: (feature: Feature) => boolean) => string | undefined)

interface Applying {
  readonly appliesTo?: AppliesTo | undefined
}

/** Capability flags without which a scenario does not apply. */
export function requiredFeatures({ appliesTo }: Applying): readonly Feature[] {
  const { requires = [] } = appliesTo ?? {}
  // A misspelt word counts as a capability that no subject declares.
  return requires.filter(
    (one): one is Feature => typeof one === 'string' && one !== 'apiKeyVariable' && !one.startsWith('toolChoice:'),
  )
}

/** Kinds of tool choice without which it does not. */
export function requiredChoices({ appliesTo }: Applying): readonly Choice[] {
  return choices.filter((choice) => appliesTo?.requires?.includes(`toolChoice:${choice}`) === true)
}
