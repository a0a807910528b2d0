import { arrayOf, objectOf } from '@steploop/core/adapter'
import { inputsAreObjects, refusalIsFiltered, wholeCalls } from '../no-words.ts'
import { isWord } from '../read/payload.ts'
import { schemaForms } from '../variants/schema-forms.ts'
import type { WireKit } from '../wire-kit.ts'
import { geminiErrors } from './errors.ts'
import { eventLabels } from './event-labels.ts'
import { geminiGenerateMutations } from './mutations.ts'
import { geminiGenerateQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { geminiGenerate as simulation } from './simulate/index.ts'
import { wordsIn } from '../simulate/words.ts'

/** https://ai.google.dev/api/generate-content */
export const geminiGenerate: WireKit = {
  name: 'gemini-generate',
  provider: 'google',
  detect: {
    isEndpoint: (path) => /:(stream)?GenerateContent$/i.test(path),
    asksForStream: (path) => path.endsWith(':streamGenerateContent'),
    isPayload: (payload) => 'candidates' in payload || 'promptFeedback' in payload,
    modelOf: (url) => /\/models\/([^/:?]+)(?::|$)/.exec(url)?.[1],
    recordedAs: ['gemini'],
  },
  simulation,
  readRequest,
  readResponse,
  readConversation,
  isTerminal: ({ payload: { candidates, promptFeedback } }) =>
    arrayOf(candidates).some((candidate) => isWord(objectOf(candidate)['finishReason'])) ||
    isWord(objectOf(promptFeedback)['blockReason']),
  // Usage comes in a chunk of its own now and then.
  moreMayFollow: true,
  eventLabels,
  freedom: { open: ['.args', '.response'], plain: ['.error'] },
  samples: {
    options: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }] },
    providerTools: { google_search: { googleSearch: {} }, code_execution: { codeExecution: {} } },
  },
  errors: geminiErrors,
  mutations: geminiGenerateMutations,
  quirks: [...geminiGenerateQuirks, schemaForms('gemini-schema-forms', ['gemini-generate/in-full'])],
  noWords: {
    'reasoning-sealed': 'What is sealed is the signature of another part: `reasoning-replay` shows it.',
    refusal: refusalIsFiltered,
    'truncated-call': wholeCalls,
    'unparsable-arguments': inputsAreObjects,
  },
  shownOnTraffic: wordsIn(`
    branch five-turn instructions-and-settings nested-arguments no-arguments no-tools parallel-calls
    parallel-same-tool provider-tool reasoning-replay reasoning-text single-call structured
    structured-with-tools text-only three-turn tool-choice-required
  `),
  usualUrl: ({ model, isStream }) =>
    `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
}
