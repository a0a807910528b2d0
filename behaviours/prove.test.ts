import { describe, expect, test } from 'vitest'
import { held, type HeldBehaviour } from './behaviour.ts'
import { findNamedTests } from './named-tests.ts'
import { prove } from './prove.ts'

const file = 'packages/core/src/run/run-config.ts'
const line = 'if (active.length === 0) return undefined'

function without(replace: string): HeldBehaviour {
  return held('L06', 'Without tools a run is one plain request.', file, line, replace)
}

describe('a proof', () => {
  test(
    'is a test that goes red with the behaviour switched off; what stays green or cannot be loaded is none',
    { timeout: 120_000 },
    async () => {
      const reported: string[] = []
      const proofs = await prove({
        behaviours: [without('if (active.length === 0) return []'), without(`${line} // as before`), without('if (')],
        tests: findNamedTests(),
        onProof: ({ id }) => reported.push(id),
      })
      expect(proofs.map(({ problem }) => problem)).toEqual([
        undefined,
        'its tests stay green',
        'switched off, the tests cannot be loaded',
      ])
      expect(proofs[0]?.red).toEqual(['L06: without tools makes one plain request, streamed or not'])
      expect(reported).toEqual(['L06', 'L06', 'L06'])
    },
  )

  test('is none when no test names the behaviour', { timeout: 120_000 }, async () => {
    const [proof] = await prove({ behaviours: [without('')], tests: [], onProof: () => undefined })
    expect(proof?.problem).toBe('no test that names it ran')
  })
})
