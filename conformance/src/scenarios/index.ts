import type { Scenario } from '../scenario.ts'
import { approvalDenied } from './approval-denied.ts'
import { approvalEdited } from './approval-edited.ts'
import { approvalGranted } from './approval-granted.ts'
import { badKey } from './bad-key.ts'
import { branch } from './branch.ts'
import { clientTool } from './client-tool.ts'
import { cutStream } from './cut-stream.ts'
import { fiveTurn } from './five-turn.ts'
import { maxStepsFinalize } from './max-steps-finalize.ts'
import { maxStepsIncomplete } from './max-steps-incomplete.ts'
import { maxStepsThrow } from './max-steps-throw.ts'
import { mixedOwners } from './mixed-owners.ts'
import { noArguments } from './no-arguments.ts'
import { parallelCalls } from './parallel-calls.ts'
import { parallelSameTool } from './parallel-same-tool.ts'
import { providerOptions } from './provider-options.ts'
import { repeatedCall } from './repeated-call.ts'
import { singleCall } from './single-call.ts'
import { textOnly } from './text-only.ts'
import { textThenCall } from './text-then-call.ts'
import { threeTurn } from './three-turn.ts'
import { tokenBudget } from './token-budget.ts'
import { tooManyCalls } from './too-many-calls.ts'
import { toolOutputOnly } from './tool-output-only.ts'
import { toolThrows } from './tool-throws.ts'
import { totalTimeout } from './total-timeout.ts'
import { unknownTool } from './unknown-tool.ts'

/** All scenarios, in the order in which reports show them. */
export const scenarios: readonly Scenario[] = [
  textOnly,
  providerOptions,
  singleCall,
  textThenCall,
  parallelCalls,
  parallelSameTool,
  noArguments,
  threeTurn,
  fiveTurn,
  branch,
  toolOutputOnly,
  toolThrows,
  unknownTool,
  clientTool,
  mixedOwners,
  approvalGranted,
  approvalDenied,
  approvalEdited,
  maxStepsFinalize,
  maxStepsIncomplete,
  maxStepsThrow,
  tooManyCalls,
  repeatedCall,
  tokenBudget,
  totalTimeout,
  badKey,
  cutStream,
]
