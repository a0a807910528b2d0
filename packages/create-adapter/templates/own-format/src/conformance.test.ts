import { readFileSync } from 'node:fs'
import { parseKnownFailures } from '@steploop/conformance'
import { describeConformance } from '@steploop/conformance/vitest'
import config from '../steploop.config.ts'

const file = new URL('../known-failures.yaml', import.meta.url)
const knownFailures = parseKnownFailures(readFileSync(file, 'utf8'), 'known-failures.yaml')

for (const subject of config.subjects) describeConformance(subject, { knownFailures })
