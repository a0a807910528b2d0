import type { Warning } from '../contract/adapter.ts'
import type { StepLoopOptions } from './loop-options.ts'

type ProviderOptions = StepLoopOptions['providerOptions']

/** What names the conversation that a request goes on from, in the Responses API, in those that speak it, and in the AI SDK. */
const referenceNames: readonly string[] = ['previous_response_id', 'previousResponseId', 'conversation']

const stateNames: readonly string[] = ['store', ...referenceNames]

/** The options of the caller without, and with nothing but, what a provider keeps for it. */
export interface SplitOptions {
  /** Options without that state: the same object where nothing was taken out. */
  readonly providerOptions: ProviderOptions
  /** `undefined` where there is none. */
  readonly providerState: ProviderOptions
  /** Tell of what was taken out. */
  readonly warnings: readonly Warning[]
}

/** `stateless`: what a provider keeps is taken out. Else it stays, and is only told. */
export function splitProviderState(given: ProviderOptions, stateless: boolean): SplitOptions {
  const all = Object.entries(given ?? {})
  const kept = all.flatMap(([provider, options]): [string, Readonly<Record<string, unknown>>][] => {
    const state = Object.entries(options).filter(([name, value]) => stateNames.includes(name) && value !== undefined)
    return state.length === 0 ? [] : [[provider, Object.fromEntries(state)]]
  })
  const providerState = kept.length === 0 ? undefined : Object.fromEntries(kept)
  if (!stateless || kept.length === 0) return { providerOptions: given, providerState, warnings: [] }
  const rest = all.map(([provider, options]): [string, Readonly<Record<string, unknown>>] => [
    provider,
    Object.fromEntries(Object.entries(options).filter(([name]) => !stateNames.includes(name))),
  ])
  return { providerOptions: Object.fromEntries(rest), providerState, warnings: kept.flatMap(leftOut) }
}

function leftOut([provider, state]: [string, Readonly<Record<string, unknown>>]): readonly Warning[] {
  return Object.keys(state).flatMap((name): Warning[] => {
    if (state[name] === false) return []
    const message = "it is left out with `continuation: 'off'`; `result.providerState` has it"
    return [{ type: 'dropped', path: `providerOptions.${provider}.${name}`, message }]
  })
}

/** True when the caller names a conversation that this provider keeps: calls may be in there, and not in the messages. */
export function namesConversation(providerOptions: ProviderOptions, provider: string): boolean {
  const options = providerOptions?.[provider]
  return options !== undefined && referenceNames.some((name) => options[name] !== undefined && options[name] !== null)
}
