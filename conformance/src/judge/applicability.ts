import type { Adapter, Capabilities, Flag, Mode } from '@steploop/core/adapter'
import type { Failure } from '../check.ts'
import { requiredChoices, requiredFeatures, type Requirement } from '../applies-to.ts'
import type { Scenario } from '../scenario.ts'
import { choices, choiceShownBy, features, shownBy, type Feature } from '../shown-claims.ts'
import type { Subject } from '../subject.ts'
import { dialectOf, wireKit } from '../wires/index.ts'

/** True when the flag is set for the mode. */
export function holdsIn(flag: Flag | undefined, mode: Mode): boolean {
  return typeof flag === 'object' ? flag[mode] : flag === true
}

/**
 * Why the scenario does not apply to this adapter in this mode, with the provider's own limit where the subject names it; `undefined` when
 * it does.
 */
export function notApplicable(
  scenario: Scenario,
  capabilities: Capabilities,
  { mode, subject }: { readonly mode: Mode; readonly subject: Subject },
): string | undefined {
  const { appliesTo } = scenario
  const { requires = [] } = appliesTo ?? {}
  const unseen = subject.noWordsFor?.[scenario.id] ?? appliesTo?.modes?.[mode] ?? noWords(scenario, mode, subject)
  if (unseen !== undefined) return unseen
  if (requires.includes('apiKeyVariable') && subject.apiKeyVariable === undefined) {
    return 'the subject names no `apiKeyVariable`'
  }
  const { toolChoice = [] } = capabilities
  const choice = requiredChoices(scenario).find((kind) => !toolChoice.includes(kind))
  if (choice !== undefined) return withLimit(`the adapter declares no tool choice \`${choice}\``, subject, 'toolChoice')
  const can = (feature: Feature): boolean => holdsIn(capabilities[feature], mode)
  const missing = requiredFeatures(scenario).filter((feature) => !can(feature))
  if (missing.length === 0) return firstReason(requires, can) ?? unknownWay(scenario, subject, can)
  const reason = `the adapter declares no ${missing.map((feature) => `\`${feature}\``).join(', ')} in ${mode} mode`
  return withLimit(reason, subject, ...missing)
}

/** Why wire format or dialect have no words for the scenario. The narrower location wins, and the base of a quirk speaks for the quirk. */
function noWords({ id, derived }: Scenario, mode: Mode, subject: Subject): string | undefined {
  const ids = [id, derived?.from].filter((one) => one !== undefined)
  for (const reported of [dialectOf(subject)?.noWords, wireKit(subject.wire)?.noWords]) {
    const known = ids.flatMap((one) => [`${one}/${mode}`, one]).find((key) => reported !== undefined && key in reported)
    if (known !== undefined) return reported?.[known]
  }
  return undefined
}

/** Why a check of a scenario cannot be shown over a subject, as the subject says. */
export function withoutWords({ noWordsFor }: Subject, { id, derived }: Scenario, check: string): string | undefined {
  // What a scenario was made from says what its checks are about.
  const scopes = [id, derived?.from, '*'].filter((scope) => scope !== undefined)
  return scopes.map((scope) => noWordsFor?.[`${scope}#${check}`]).find((reason) => reason !== undefined)
}

function firstReason(requires: readonly Requirement[], can: (feature: Feature) => boolean): string | undefined {
  const asked = requires.map((requirement) => (typeof requirement === 'function' ? requirement(can) : undefined))
  return asked.find((reason) => reason !== undefined)
}

/** A script that is played without requests cannot see whether the object is asked for by a tool. */
function unknownWay(
  { script }: Scenario,
  { turnScript }: Subject,
  can: (feature: Feature) => boolean,
): string | undefined {
  if (turnScript === undefined || can('structured') || !script.some(({ type }) => type === 'object')) return undefined
  return 'without `structured` the object is asked for by a tool, which a `turnScript` does not see'
}

function withLimit(reason: string, { limits }: Subject, ...lacking: readonly (keyof Capabilities)[]): string {
  const cited = new Set(lacking.flatMap((feature) => limits?.[feature] ?? []))
  return [reason, ...cited].join(': ')
}

const flags: ReadonlySet<string> = new Set(features)

interface HiddenClaim {
  readonly claim: string
  readonly where: keyof Capabilities
}

/** Claims of a subject that leaves out the very scenario that shows them: nothing would ever tell whether they hold. */
export function hiddenClaims(
  { id }: Scenario,
  capabilities: Capabilities,
  { mode, subject }: { readonly mode: Mode; readonly subject: Subject },
): readonly Failure[] {
  if (subject.noWordsFor?.[id] === undefined) return []
  const claimed = features
    // Usage is looked for in every turn of every scenario.
    .filter((flag) => shownBy[flag] === id && flag !== 'streamUsage' && holdsIn(capabilities[flag], mode))
    .map((flag): HiddenClaim => ({ claim: flag, where: flag }))
  const kinds = choices
    .filter((kind) => choiceShownBy[kind] === id && capabilities.toolChoice?.includes(kind) === true)
    .map((kind): HiddenClaim => ({ claim: `toolChoice: ${kind}`, where: 'toolChoice' }))
  const hidden = [...claimed, ...kinds].filter(({ where }) => subject.shownElsewhere?.includes(where) !== true)
  return hidden.map(({ claim, where }) => ({
    message: `\`${claim}\` is claimed, and \`noWordsFor\` of the subject leaves out \`${id}\`, which shows it: take back the one or the other`,
    where: `capabilities.${where}`,
  }))
}

/** Claims that cannot be read, and claims that contradict each other. */
export function claimFailures(adapter: Adapter): readonly Failure[] {
  const capabilities: Readonly<Record<string, unknown>> = { ...adapter.capabilities }
  const failures: Failure[] = []
  for (const [name, value] of Object.entries(capabilities)) {
    const where = `capabilities.${name}`
    if (value === undefined) continue
    if (name === 'toolChoice') {
      const readable = Array.isArray(value) && value.every((choice) => choices.some((known) => known === choice))
      if (!readable)
        failures.push({
          message: `\`toolChoice\` is ${JSON.stringify(value)}, not a list of ${choices.join(', ')}`,
          where,
        })
    } else if (!flags.has(name))
      failures.push({ message: `there is no capability \`${name}\`; check its spelling`, where })
    else if (!isFlag(value))
      failures.push({
        message: `\`${name}\` is ${JSON.stringify(value)}, neither a boolean nor { generate, stream }`,
        where,
      })
  }
  const contradictions: readonly [needs: keyof Capabilities, claimed: keyof Capabilities][] = [
    ['tools', 'parallel'],
    ['structured', 'structuredWithTools'],
    ['reasoning', 'reasoningReplay'],
  ]
  for (const [needed, claimed] of contradictions) {
    if (adapter.capabilities[claimed] && !adapter.capabilities[needed]) {
      failures.push({ message: `\`${claimed}\` is claimed without \`${needed}\``, where: `capabilities.${claimed}` })
    }
  }
  return failures
}

function isFlag(value: unknown): boolean {
  if (typeof value === 'boolean') return true
  if (typeof value !== 'object' || value === null) return false
  return typeof Reflect.get(value, 'generate') === 'boolean' && typeof Reflect.get(value, 'stream') === 'boolean'
}
