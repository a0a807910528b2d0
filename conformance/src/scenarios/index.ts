import type { Scenario } from '../scenario.ts'
import { wireKits } from '../wires/index.ts'
import { quirkOf } from '../wires/quirk.ts'
import { foreignHistory } from './foreign-history.ts'
import { keyVariable } from './key-variable.ts'
import { imageAlone } from './image-alone.ts'
import { systemMessages } from './system-messages.ts'
import { oddToolNames } from './odd-tool-names.ts'
import { cachedUsage } from './cached-usage.ts'
import { refusal } from './refusal.ts'
import { editedAnswer } from './edited-answer.ts'
import { abortBefore } from './abort-before.ts'
import { abortInTool } from './abort-in-tool.ts'
import { abortMidStream } from './abort-mid-stream.ts'
import { approvalDenied } from './approval-denied.ts'
import { approvalEdited } from './approval-edited.ts'
import { approvalGranted } from './approval-granted.ts'
import { badKey } from './bad-key.ts'
import { badRequest } from './bad-request.ts'
import { branch } from './branch.ts'
import { brokenJson } from './broken-json.ts'
import { citations } from './citations.ts'
import { clientTool } from './client-tool.ts'
import { connectionReset } from './connection-reset.ts'
import { contentFilter, guardrail } from './content-filter.ts'
import { contextOverflow } from './context-overflow.ts'
import { continuationEdited } from './continuation-edited.ts'
import { continuationLost } from './continuation-lost.ts'
import { continuation } from './continuation.ts'
import { cutStream } from './cut-stream.ts'
import { emptyAnswer } from './empty-answer.ts'
import { emptyBody } from './empty-body.ts'
import { errorIn200 } from './error-in-200.ts'
import { errorMidStream } from './error-mid-stream.ts'
import { fallback } from './fallback.ts'
import { fileInput } from './file-input.ts'
import { fileRefused } from './file-refused.ts'
import { fiveTurn } from './five-turn.ts'
import { forbidden } from './forbidden.ts'
import { htmlErrorPage } from './html-error-page.ts'
import { imageInResultTold } from './image-in-result-told.ts'
import { imageInResult } from './image-in-result.ts'
import { imageInput } from './image-input.ts'
import { imageRefused } from './image-refused.ts'
import { instructionsAndSettings } from './instructions-and-settings.ts'
import { invalidArguments } from './invalid-arguments.ts'
import { lengthLimit } from './length-limit.ts'
import { maxStepsFinalize } from './max-steps-finalize.ts'
import { maxStepsIncomplete } from './max-steps-incomplete.ts'
import { maxStepsThrow } from './max-steps-throw.ts'
import { mixedOwners } from './mixed-owners.ts'
import { nestedArguments } from './nested-arguments.ts'
import { noArguments } from './no-arguments.ts'
import { noTools } from './no-tools.ts'
import { overloaded } from './overloaded.ts'
import { parallelCalls } from './parallel-calls.ts'
import { parallelSameTool } from './parallel-same-tool.ts'
import { pauseTurn } from './pause-turn.ts'
import { promptCache } from './prompt-cache.ts'
import { providerOptions } from './provider-options.ts'
import { providerTool } from './provider-tool.ts'
import { rateLimited } from './rate-limited.ts'
import { reasoningReplay } from './reasoning-replay.ts'
import { reasoningText } from './reasoning-text.ts'
import { repeatedCall } from './repeated-call.ts'
import { repeatedIds } from './repeated-ids.ts'
import { serverError } from './server-error.ts'
import { singleCall } from './single-call.ts'
import { structuredApart } from './structured-apart.ts'
import { structuredInWords } from './structured-in-words.ts'
import { structuredRepair } from './structured-repair.ts'
import { structuredThinking } from './structured-thinking.ts'
import { structuredWithTools } from './structured-with-tools.ts'
import { structured } from './structured.ts'
import { textOnly } from './text-only.ts'
import { textThenCall } from './text-then-call.ts'
import { threeTurn } from './three-turn.ts'
import { tokenBudget } from './token-budget.ts'
import { tooManyCalls } from './too-many-calls.ts'
import { toolDeclarations } from './tool-declarations.ts'
import { toolChoices } from './tool-choice.ts'
import { toolOutputOnly } from './tool-output-only.ts'
import { toolThrows } from './tool-throws.ts'
import { toolTimesOut } from './tool-times-out.ts'
import { totalTimeout } from './total-timeout.ts'
import { truncatedCall } from './truncated-call.ts'
import { unknownModel } from './unknown-model.ts'
import { unheardOfEnd } from './unheard-of-end.ts'
import { fileFromModel } from './file-from-model.ts'
import { reasoningSealed } from './reasoning-sealed.ts'
import { providerToolFails } from './provider-tool-fails.ts'
import { approveAll } from './approve-all.ts'
import { unknownTool } from './unknown-tool.ts'
import { unparsableArguments } from './unparsable-arguments.ts'

/** What every provider plays. */
const shared: readonly Scenario[] = [
  textOnly,
  instructionsAndSettings,
  emptyAnswer,
  lengthLimit,
  contentFilter,
  guardrail,
  unheardOfEnd,
  noTools,
  providerOptions,
  cachedUsage,
  keyVariable,
  refusal,
  editedAnswer,
  singleCall,
  textThenCall,
  parallelCalls,
  parallelSameTool,
  noArguments,
  nestedArguments,
  toolDeclarations,
  systemMessages,
  foreignHistory,
  oddToolNames,
  threeTurn,
  fiveTurn,
  branch,
  toolOutputOnly,
  ...toolChoices,
  invalidArguments,
  unparsableArguments,
  toolThrows,
  toolTimesOut,
  truncatedCall,
  repeatedIds,
  unknownTool,
  clientTool,
  mixedOwners,
  approvalGranted,
  approvalDenied,
  approvalEdited,
  approveAll,
  providerTool,
  providerToolFails,
  maxStepsFinalize,
  maxStepsIncomplete,
  maxStepsThrow,
  tooManyCalls,
  repeatedCall,
  tokenBudget,
  totalTimeout,
  structured,
  structuredWithTools,
  structuredApart,
  structuredRepair,
  structuredThinking,
  structuredInWords,
  reasoningText,
  reasoningReplay,
  reasoningSealed,
  continuation,
  continuationLost,
  continuationEdited,
  pauseTurn,
  fallback,
  badKey,
  forbidden,
  unknownModel,
  badRequest,
  contextOverflow,
  rateLimited,
  overloaded,
  serverError,
  connectionReset,
  htmlErrorPage,
  emptyBody,
  errorIn200,
  cutStream,
  brokenJson,
  errorMidStream,
  abortBefore,
  abortMidStream,
  abortInTool,
  imageInput,
  imageRefused,
  fileInput,
  fileRefused,
  imageInResult,
  imageAlone,
  imageInResultTold,
  fileFromModel,
  citations,
  promptCache,
]

/** What real servers send and a tidy simulator does not: each exists only where it was seen. */
const quirks = wireKits
  .flatMap((kit) => kit.quirks ?? [])
  .map((quirk) => ('of' in quirk ? quirkOf(scenarioOf(quirk.of), quirk) : quirk))

/** All scenarios, in the order in which reports show them. */
export const scenarios: readonly Scenario[] = [...shared, ...quirks]

function scenarioOf(id: string): Scenario {
  const found = shared.find((scenario) => scenario.id === id)
  if (found === undefined)
    throw new RangeError(`A quirk is of the scenario '${id}', which there is not. Correct its \`of\`.`)
  return found
}
