import { describeConformance } from '@steploop/conformance/vitest'
import { subjectNamed } from '../scratch.ts'

// `pnpm conformance` plays all cases of all subjects. These show that the suite runs as tests too, one subject for each framing,
// behind the front-end that is quickest.
for (const name of ['anthropic', 'ollama', 'bedrock']) {
  describeConformance(subjectNamed(name), { stress: [], frontEnds: ['fetch'] })
}
