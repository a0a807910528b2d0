import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createSurroundings } from '../testing.ts'
import { problemsOf } from './check.ts'
import { classes, classesOf } from './classes.ts'
import { playDecisions } from './play.ts'
import { decisionDraws } from './testing.ts'

// PROPERTY_SEED and PROPERTY_RUNS search with other draws, and longer.
const seed = Number(process.env['PROPERTY_SEED'] ?? 2026)
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 3000)
const leastPerClass = 10

const surroundings = createSurroundings()
afterAll(() => {
  surroundings.close()
})

test(
  'what was judged is what runs, once, whatever models, applications, callers and stores do',
  { timeout: 300_000 },
  async () => {
    const met = new Map<string, number>(classes.map((name) => [name, 0]))
    let played = 0
    const property = fc.asyncProperty(decisionDraws, async (draw) => {
      const observation = await playDecisions(draw, surroundings)
      played++
      for (const name of classesOf(observation)) met.set(name, (met.get(name) ?? 0) + 1)
      expect(problemsOf(observation)).toEqual([])
      expect(surroundings.takeUnhandled()).toEqual([])
    })
    await fc.assert(property, { seed, numRuns })
    const rare = classes.filter((name) => (met.get(name) ?? 0) < (leastPerClass * numRuns) / 6000)
    process.stdout.write(`${played} draws, seed ${seed}; draws per class:\n${table(met)}\n`)
    expect(rare).toEqual([])
    expect(numRuns).toBeGreaterThanOrEqual(process.env['PROPERTY_RUNS'] === undefined ? 2000 : 1)
  },
)

function table(met: ReadonlyMap<string, number>): string {
  const lines = classes.map((name) => `${String(met.get(name) ?? 0).padStart(6)} ${name.padEnd(34)}`)
  return lines.map((line, index) => (index % 3 === 2 ? `${line}\n` : line)).join('')
}
