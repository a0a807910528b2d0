import { expect, test, vi } from 'vitest'

// Imported before everything that imports the loop: what is loaded before it cannot be changed.

vi.mock('../../src/contract/usage.ts', through)
vi.mock('../../src/policies/compose.ts', through)
vi.mock('../../src/policies/plain-data.ts', through)
vi.mock('../../src/run/state/abort-scope.ts', through)
vi.mock('../../src/run/turn/ask-model.ts', through)
vi.mock('../../src/loop/channel.ts', through)
vi.mock('../../src/run/execute-calls.ts', through)
vi.mock('../../src/run/state/hooks.ts', through)
vi.mock('../../src/run/judge-calls.ts', through)
vi.mock('../../src/run/state/limits.ts', through)
vi.mock('../../src/options/run-config.ts', through)
vi.mock('../../src/run/run-input.ts', through)
vi.mock('../../src/run/state/run-state.ts', through)
vi.mock('../../src/run/settle-step.ts', through)
vi.mock('../../src/run/turn/turn-request.ts', through)
vi.mock('../../src/tools/approval-hash.ts', through)
vi.mock('../../src/calls/dispatch.ts', through)
vi.mock('../../src/calls/idempotency-key.ts', through)
vi.mock('../../src/tools/own-data.ts', through)
vi.mock('../../src/calls/plan-calls.ts', through)
vi.mock('../../src/calls/resolve-input.ts', through)
vi.mock('../../src/calls/run-tool.ts', through)
vi.mock('../../src/calls/running-tools.ts', through)
vi.mock('../../src/transcript/check-answers.ts', through)
vi.mock('../../src/transcript/check-messages.ts', through)
vi.mock('../../src/transcript/message-hash.ts', through)
vi.mock('../../src/wire/collect-turn.ts', through)
vi.mock('../../src/wire/json-value.ts', through)

/** Functions of the loop that a mutant may change. */
type Functions = typeof import('../../src/contract/usage.ts') &
  typeof import('../../src/policies/compose.ts') &
  typeof import('../../src/policies/plain-data.ts') &
  typeof import('../../src/run/state/abort-scope.ts') &
  typeof import('../../src/run/turn/ask-model.ts') &
  typeof import('../../src/loop/channel.ts') &
  typeof import('../../src/run/execute-calls.ts') &
  typeof import('../../src/run/state/hooks.ts') &
  typeof import('../../src/run/judge-calls.ts') &
  typeof import('../../src/run/state/limits.ts') &
  typeof import('../../src/options/run-config.ts') &
  typeof import('../../src/run/run-input.ts') &
  typeof import('../../src/run/state/run-state.ts') &
  typeof import('../../src/run/settle-step.ts') &
  typeof import('../../src/run/turn/turn-request.ts') &
  typeof import('../../src/tools/approval-hash.ts') &
  typeof import('../../src/calls/dispatch.ts') &
  typeof import('../../src/calls/idempotency-key.ts') &
  typeof import('../../src/tools/own-data.ts') &
  typeof import('../../src/calls/plan-calls.ts') &
  typeof import('../../src/calls/resolve-input.ts') &
  typeof import('../../src/calls/run-tool.ts') &
  typeof import('../../src/calls/running-tools.ts') &
  typeof import('../../src/transcript/check-answers.ts') &
  typeof import('../../src/transcript/check-messages.ts') &
  typeof import('../../src/transcript/message-hash.ts') &
  typeof import('../../src/wire/collect-turn.ts') &
  typeof import('../../src/wire/json-value.ts')

/** A change of one function of the loop that one of the checks has to notice. */
export interface Mutant<Check> {
  readonly check: Check
  readonly name: string
  readonly seam: keyof Functions
  readonly change: (real: never) => unknown
}

export function mutant<Check, Seam extends keyof Functions>(
  check: Check,
  name: string,
  seam: Seam,
  change: (real: Functions[Seam]) => Functions[Seam],
): Mutant<Check> {
  return { check, name, seam, change }
}

let living: Mutant<unknown> | undefined

/** A module whose functions are called through the living mutant. */
async function through(load: () => Promise<object>): Promise<object> {
  const calledThrough = ([name, real]: [string, unknown]): [string, unknown] => {
    if (typeof real !== 'function') return [name, real]
    const apply = (_real: unknown, self: unknown, values: unknown[]): unknown =>
      Reflect.apply((living?.seam === name ? living.change(real as never) : real) as () => unknown, self, values)
    return [name, new Proxy(real, { apply })]
  }
  return Object.fromEntries(Object.entries(await load()).map(calledThrough)) as object
}

/** Tests that each mutant is noticed by its check on the `draws`, that each check has one, and that the loop itself breaks none. */
export function testMutants<Check extends string, Draw>(options: {
  readonly mutants: readonly Mutant<Check>[]
  readonly checks: readonly string[]
  readonly draws: readonly Draw[]
  /** The checks that the loop breaks on a draw. */
  readonly broken: (draw: Draw) => Promise<readonly string[]>
}): void {
  const { mutants, checks, draws, broken } = options
  const kills: string[] = []

  test.each(mutants)('the check $check notices that $name', { timeout: 60_000 }, async (changed) => {
    living = changed
    try {
      let killed: number | undefined
      for (let index = 0; killed === undefined && index < draws.length; index++)
        if ((await broken(draws[index] as Draw)).includes(changed.check)) killed = index + 1
      kills.push(`${changed.check.padEnd(28)} ${changed.name}: ${killed ?? 'lives'}`)
      expect(killed).toBeDefined()
    } finally {
      living = undefined
    }
  })

  test(
    'every check has a mutant, and the loop as it is breaks none on the same draws',
    { timeout: 60_000 },
    async () => {
      process.stdout.write(`check, mutant, and the draws that it took to notice it:\n${kills.join('\n')}\n`)
      expect([...new Set(mutants.map(({ check }) => check))].toSorted()).toEqual(checks.toSorted())
      for (const draw of draws) expect(await broken(draw)).toEqual([])
    },
  )
}
