import { testApprovals } from './approvals.ts'
import { testCachedResults } from './cached-results.ts'
import { testCallsWithoutIds } from './calls-without-ids.ts'
import { testCarriedOutAgain } from './carried-out-again.ts'
import { testDeniedCalls } from './denied-calls.ts'
import { testEagerTools } from './eager-tools.ts'
import { testFailedRuns } from './failed-runs.ts'
import { testHistory } from './history.ts'
import { testHooks } from './hooks.ts'
import { testHostileTools } from './hostile-tools.ts'
import { testHttpTurns } from './http-turns.ts'
import { testInputHooks } from './input-hooks.ts'
import { testJudgedCalls } from './judged-calls.ts'
import { testKeptConversations } from './kept-conversations.ts'
import { testLimitedCalls } from './limited-calls.ts'
import { testLimitedTurns } from './limited-turns.ts'
import { testLimits } from './limits.ts'
import { testMiddleware } from './middleware.ts'
import { testModels } from './models.ts'
import { testOptions } from './options.ts'
import { testOptionsRefused } from './options-refused.ts'
import { testOwnData } from './own-data.ts'
import { testPartialOutput } from './partial-output.ts'
import { testPolicies } from './policies.ts'
import { testProgress } from './progress.ts'
import { testProviderErrors } from './provider-errors.ts'
import { testRecovery } from './recovery.ts'
import { testResuming } from './resuming.ts'
import { testSecrets } from './secrets.ts'
import { testServerSentEvents } from './server-sent-events.ts'
import { testSettingsOfPolicies } from './settings-of-policies.ts'
import { testShownInputs } from './shown-inputs.ts'
import { testShownToHooks } from './shown-to-hooks.ts'
import { testSignedTranscripts } from './signed-transcripts.ts'
import { testSteps } from './steps.ts'
import { testStreams } from './streams.ts'
import { testStructured } from './structured.ts'
import { testConversations } from './conversations.ts'
import { testRepairedHistory } from './repaired-history.ts'
import { testTools } from './tools.ts'
import { testEditedTranscripts } from './edited-transcripts.ts'
import { testForcedTools } from './forced-tools.ts'
import { testTurnEvents } from './turn-events.ts'
import { testOpenCalls } from './open-calls.ts'
import { testConnections } from './connections.ts'
import type { MakeWholeLoop } from '../loop.ts'

/** What any loop is held to, by what it is about. */
export const loopTests: Readonly<Record<string, (makeLoop: MakeWholeLoop) => void>> = {
  approvals: testApprovals,
  'cached results': testCachedResults,
  'calls without ids': testCallsWithoutIds,
  'carried out again': testCarriedOutAgain,
  connections: testConnections,
  conversations: testConversations,
  'denied calls': testDeniedCalls,
  'eager tools': testEagerTools,
  'edited transcripts': testEditedTranscripts,
  'failed runs': testFailedRuns,
  'forced tools': testForcedTools,
  history: testHistory,
  hooks: testHooks,
  'hostile tools': testHostileTools,
  'HTTP turns': testHttpTurns,
  'input hooks': testInputHooks,
  'judged calls': testJudgedCalls,
  'kept conversations': testKeptConversations,
  'limited calls': testLimitedCalls,
  'limited turns': testLimitedTurns,
  limits: testLimits,
  middleware: testMiddleware,
  models: testModels,
  'open calls': testOpenCalls,
  options: testOptions,
  'options refused': testOptionsRefused,
  'own data': testOwnData,
  'partial output': testPartialOutput,
  policies: testPolicies,
  progress: testProgress,
  'provider errors': testProviderErrors,
  recovery: testRecovery,
  'repaired history': testRepairedHistory,
  resuming: testResuming,
  secrets: testSecrets,
  'server sent events': testServerSentEvents,
  'settings of policies': testSettingsOfPolicies,
  'shown inputs': testShownInputs,
  'shown to hooks': testShownToHooks,
  'signed transcripts': testSignedTranscripts,
  steps: testSteps,
  streams: testStreams,
  structured: testStructured,
  tools: testTools,
  'turn events': testTurnEvents,
}
