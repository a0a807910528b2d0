import { measureGrowth } from './growth.ts'

const rounds = 30
const growth = await measureGrowth(rounds)
console.log(
  `Cost per step of one conversation of 400 steps (median ms, ${rounds - 1} rounds, in process, body bytes not read)`,
)
console.log('contestant    step 10-30  step 380-400  factor')
for (const { contestant, earlyMs, lateMs, factor } of growth) {
  const cells = [earlyMs.toFixed(4).padStart(10), lateMs.toFixed(4).padStart(12), `${factor.toFixed(2)}x`.padStart(6)]
  console.log(`${contestant.padEnd(12)}  ${cells.join('  ')}`)
}
