import { existsSync } from 'node:fs'
import { textHash, type ProviderMetadata } from '@steploop/core/adapter'
import type { Transcript } from '@steploop/core'
import { cassettePath } from '../cassette-path.ts'
import { handOver } from './hand-over/hand-over.ts'
import { other } from './requests/request-form.ts'
import { isSimulated } from '../play/own-format.ts'
import { openSearch } from './variant-search.ts'
import type { Stressor, StressOutcome } from './stressor.ts'

const nothing = (reason: string): StressOutcome => ({ failures: [], variants: 0, nothing: reason })

/**
 * What one adapter began, another may go on with, and the first may come back. Each case is handed over to one other adapter, with an unlimited sweep
 * to all of them; where there is none, to its own, as if another provider had begun it.
 */
export const handOverStressor: Stressor = {
  id: 'hand-over',
  sentence: 'A finished history is continued by every other adapter, and by its own again after that.',
  async run(stressCase) {
    const { subject, scenario, sweep, mode, deadline, evidence, cassette, only } = stressCase
    // The first one comes back, so its provider has to be played too.
    if (!isSimulated(subject)) return nothing(`the simulator does not speak '${subject.wire}'`)
    const result = evidence.runs.at(-1)?.result
    // A history without calls has nothing that could be handed over wrongly, and an open one belongs to its caller.
    if (result?.status !== 'completed') return nothing('no finished history is left')
    const { transcript } = result
    if (!transcript.messages.some(({ role }) => role === 'tool')) return nothing('the history has no calls')
    const knowsSignatures = cassette.header.origin.kind === 'simulated'
    // The simulator plays those, and only those, from which the case is recorded.
    const others = sweep.others.filter((one) => isSimulated(one) && existsSync(cassettePath(one, scenario.id, mode)))
    // Who stands alone takes over what might be another's.
    const isAlone = sweep.others.length === 0
    const all = sweep.full || only !== undefined
    if (!all && mode === 'generate' && scenario.appliesTo?.modes?.stream === undefined)
      return nothing('a history is the same in both modes: that of the stream is handed over')
    const chosen = isAlone ? [subject] : all ? others : oneOf(others, `${scenario.id} ${mode}`)
    const search = openSearch(stressCase)
    const asked = chosen.filter(({ name }) => search.tries(name))
    const outcomes = await handOver({
      transcript: isAlone ? ofAnother(transcript) : transcript,
      from: subject,
      others: asked,
      isOneWay: isAlone,
      mode,
      knowsSignatures,
      deadline,
    })
    for (const { to, failures } of outcomes) search.found(to, failures)
    return search.outcome('no other subject has this case')
  },
}

/** The history as another provider would have left it, payloads and all. */
function ofAnother(transcript: Transcript): Transcript {
  const strange = <Thing extends { readonly providerMetadata?: ProviderMetadata | undefined }>(thing: Thing): Thing =>
    thing.providerMetadata === undefined
      ? thing
      : { ...thing, providerMetadata: { ...thing.providerMetadata, provider: other } }
  const messages = transcript.messages.map((message) =>
    message.role === 'assistant'
      ? { ...strange(message), provider: other, content: message.content.map((part) => strange(part)) }
      : message,
  )
  return { ...transcript, messages }
}

/** Picks one item. Which one depends on the case alone, so that a case that is repeated by itself meets the same. */
function oneOf<Item>(items: readonly Item[], seed: string): readonly Item[] {
  const at = Number.parseInt(textHash(seed), 36) % items.length
  return items.slice(at, at + 1)
}
