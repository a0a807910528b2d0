import { describeLoop } from '@steploop/conformance/vitest'
import { StepLoop } from '@steploop/core'

describeLoop((options) => new StepLoop(options))
