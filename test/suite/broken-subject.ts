import type { Adapter, TurnEvent } from '@steploop/core/adapter'
import type { Subject } from '@steploop/conformance'
import { mutants, type Mutant } from '@steploop/conformance/cli'

/** What an adapter has besides its turns. */
export const plain = ({ provider, model, capabilities }: Adapter) => ({ provider, model, capabilities })

/** The subject with another adapter. */
export function hostile(subject: Subject, change: (adapter: Adapter) => Adapter): Subject {
  return { ...subject, adapter: (options) => change(subject.adapter(options)) }
}

/** The subject with a fault planted into its turns. */
export function faulty(subject: Subject, turn: (adapter: Adapter) => Adapter['turn']): Subject {
  return hostile(subject, (adapter) => ({ ...plain(adapter), turn: turn(adapter) }))
}

/** The subject whose events are changed, left out or told twice. */
export function emitting(subject: Subject, change: (event: TurnEvent) => readonly TurnEvent[]): Subject {
  return faulty(
    subject,
    (adapter) =>
      async function* changed(request, context) {
        for await (const batch of adapter.turn(request, context)) yield batch.flatMap(change)
      },
  )
}

/** The subject whose turns give no usage, which `#usage-adds-up` notices and nothing else does. */
export function silent(subject: Subject): Subject {
  return emitting(subject, (event) => [event.type === 'turn-end' ? { ...event, usage: undefined } : event])
}

/** The subject behind a network that changes what comes back. */
export function behind(subject: Subject, change: (text: string) => string): Subject {
  return {
    ...subject,
    adapter: (options) =>
      subject.adapter({
        ...options,
        fetch: async (input, init) => {
          const response = await (options.fetch ?? fetch)(input, init)
          return new Response(change(await response.text()), response)
        },
      }),
  }
}

export function mutantNamed(id: string): Mutant {
  const found = mutants.find((one) => one.id === id)
  if (found === undefined) throw new Error(`there is no mutant '${id}'`)
  return found
}
