import { existsSync } from 'node:fs'
import { describeConformance } from '@steploop/conformance/vitest'
import config from '../steploop.config.ts'

// `pnpm conformance` runs the whole suite with its stressors; here each case runs once, so that a change that breaks one is seen at once.
for (const subject of config.subjects.filter(({ cassettes }) => existsSync(cassettes))) {
  describeConformance(subject, { stress: [] })
}
