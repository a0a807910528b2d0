import type { Scenario } from '../scenario.ts'
import { badKey } from './bad-key.ts'
import { branch } from './branch.ts'
import { clientTool } from './client-tool.ts'
import { cutStream } from './cut-stream.ts'
import { fiveTurn } from './five-turn.ts'
import { noArguments } from './no-arguments.ts'
import { parallelCalls } from './parallel-calls.ts'
import { parallelSameTool } from './parallel-same-tool.ts'
import { providerOptions } from './provider-options.ts'
import { singleCall } from './single-call.ts'
import { textOnly } from './text-only.ts'
import { textThenCall } from './text-then-call.ts'
import { threeTurn } from './three-turn.ts'
import { toolOutputOnly } from './tool-output-only.ts'
import { toolThrows } from './tool-throws.ts'
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
  badKey,
  cutStream,
]
