import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { classes, classesOf } from './classes.ts'
import { violations } from './invariants.ts'
import { playDraw } from './play.ts'
import { loopDraws } from './loop-draws.ts'
import { createSurroundings } from './testing.ts'

// PROPERTY_SEED and PROPERTY_RUNS search with other draws, and longer.
const seed = Number(process.env['PROPERTY_SEED'] ?? 2026)
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 7000)
const leastPerClass = 50

const surroundings = createSurroundings()
afterAll(() => {
  surroundings.close()
})

test(
  'the loop keeps its fourteen invariants, whatever models, tools, callers and clocks do',
  { timeout: 300_000 },
  async () => {
    const met = new Map<string, number>(classes.map((name) => [name, 0]))
    let runs = 0
    const property = fc.asyncProperty(loopDraws, async (draw) => {
      const observation = await playDraw(draw, surroundings)
      runs++
      for (const name of classesOf(observation)) met.set(name, (met.get(name) ?? 0) + 1)
      expect(violations(observation)).toEqual([])
    })
    await fc.assert(property, { seed, numRuns })
    const rare = classes.filter((name) => (met.get(name) ?? 0) < (leastPerClass * numRuns) / 7000)
    process.stdout.write(`${runs} draws, seed ${seed}; draws per class:\n${table(met)}\n`)
    expect(rare).toEqual([])
    expect(numRuns).toBeGreaterThanOrEqual(process.env['PROPERTY_RUNS'] === undefined ? 2000 : 1)
  },
)

function table(met: ReadonlyMap<string, number>): string {
  const lines = classes.map((name) => `${String(met.get(name) ?? 0).padStart(6)} ${name.padEnd(34)}`)
  return lines.map((line, index) => (index % 3 === 2 ? `${line}\n` : line)).join('')
}
