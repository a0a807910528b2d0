import { adding, after, having, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

/** https://ai.google.dev/api/generate-content: every member of a chunk may be missing. */
export const geminiGenerateMutations = wireMutations({
  tolerated: [
    ['no-version', 'proxies leave it out', without('modelVersion')],
    ['no-response-id', 'older servers have none', without('responseId')],
    ['no-index', 'a zero may be left out', without('candidates[].index')],
    ['no-role', 'there is only one role', without('candidates[].content.role')],
    [
      'ratings',
      'safety ratings come on any chunk',
      adding('candidates[].safetyRatings', [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }]),
    ],
    [
      'chunk-of-usage',
      'chunks with usage alone come at the end, and in between',
      after({ usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }),
    ],
    ['unknown-tier', 'enumerations grow', having('usageMetadata.serviceTier', 'SOMETHING_NEW')],
    [
      'candidate-without-parts',
      'a candidate may lack its parts (docs/wire.md#gemini)',
      after({ candidates: [{ content: { role: 'model' }, index: 0 }] }),
    ],
    [
      'other-candidate',
      'candidates have an index (https://ai.google.dev/api/generate-content#candidate), and the first one is the answer',
      after({ candidates: [{ content: { role: 'model', parts: [{ text: 'Oder 大阪?' }] }, index: 1 }] }),
    ],
  ],
  refused: [
    [
      'error-in-between',
      'an `error` object ends a stream that began with 200',
      replacedBy('{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}'),
    ],
  ],
})
