import type { Scenario } from '../scenario.ts'
import { wireKits } from '../wires/index.ts'
import { quirkOf } from '../wires/variants/quirk.ts'
import { plainTextScenarios } from './plain-text.ts'
import { endsScenarios } from './ends.ts'
import { requestOptionsScenarios } from './request-options.ts'
import { refusalAndEditScenarios } from './refusal-and-edit.ts'
import { toolCallsScenarios } from './tool-calls.ts'
import { toolInputsScenarios } from './tool-inputs.ts'
import { historiesScenarios } from './histories.ts'
import { conversationsScenarios } from './conversations.ts'
import { toolChoiceScenarios } from './tool-choice.ts'
import { toolFailuresScenarios } from './tool-failures.ts'
import { brokenCallsScenarios } from './broken-calls.ts'
import { clientToolsScenarios } from './client-tools.ts'
import { approvalsScenarios } from './approvals.ts'
import { providerToolsScenarios } from './provider-tools.ts'
import { stepLimitsScenarios } from './step-limits.ts'
import { budgetsScenarios } from './budgets.ts'
import { structuredScenarios } from './structured.ts'
import { reasoningScenarios } from './reasoning.ts'
import { continuationScenarios } from './continuation.ts'
import { pauseAndFallbackScenarios } from './pause-and-fallback.ts'
import { refusedRequestsScenarios } from './refused-requests.ts'
import { passingFailuresScenarios } from './passing-failures.ts'
import { brokenStreamsScenarios } from './broken-streams.ts'
import { abortsScenarios } from './aborts.ts'
import { filesScenarios } from './files.ts'
import { citationsScenarios } from './citations.ts'
import { promptCacheScenarios } from './prompt-cache.ts'

/** What every provider plays, topic by topic. */
const shared: readonly Scenario[] = [
  ...plainTextScenarios,
  ...endsScenarios,
  ...requestOptionsScenarios,
  ...refusalAndEditScenarios,
  ...toolCallsScenarios,
  ...toolInputsScenarios,
  ...historiesScenarios,
  ...conversationsScenarios,
  ...toolChoiceScenarios,
  ...toolFailuresScenarios,
  ...brokenCallsScenarios,
  ...clientToolsScenarios,
  ...approvalsScenarios,
  ...providerToolsScenarios,
  ...stepLimitsScenarios,
  ...budgetsScenarios,
  ...structuredScenarios,
  ...reasoningScenarios,
  ...continuationScenarios,
  ...pauseAndFallbackScenarios,
  ...refusedRequestsScenarios,
  ...passingFailuresScenarios,
  ...brokenStreamsScenarios,
  ...abortsScenarios,
  ...filesScenarios,
  ...citationsScenarios,
  ...promptCacheScenarios,
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
