import { adding, after, brokenJson, having, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

/** https://ai.google.dev/api/generate-content: every member of a chunk may be missing. */
export const geminiGenerateMutations: readonly WireMutation[] = [
  { id: 'no-version', why: 'proxies leave it out', verdict: 'tolerate', change: without('modelVersion') },
  { id: 'no-response-id', why: 'older servers have none', verdict: 'tolerate', change: without('responseId') },
  { id: 'no-index', why: 'a zero may be left out', verdict: 'tolerate', change: without('candidates[].index') },
  { id: 'no-role', why: 'there is only one role', verdict: 'tolerate', change: without('candidates[].content.role') },
  {
    id: 'ratings',
    why: 'safety ratings come on any chunk',
    verdict: 'tolerate',
    change: adding('candidates[].safetyRatings', [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }]),
  },
  {
    id: 'chunk-of-usage',
    why: 'chunks with usage alone come at the end, and in between',
    verdict: 'tolerate',
    change: after({ usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }),
  },
  {
    id: 'unknown-tier',
    why: 'enumerations grow',
    verdict: 'tolerate',
    change: having('usageMetadata.serviceTier', 'SOMETHING_NEW'),
  },
  {
    id: 'candidate-without-parts',
    why: 'a candidate may lack its parts (docs/wire.md#gemini)',
    verdict: 'tolerate',
    change: after({ candidates: [{ content: { role: 'model' }, index: 0 }] }),
  },
  {
    id: 'other-candidate',
    why: 'candidates have an index (https://ai.google.dev/api/generate-content#candidate), and the first one is the answer',
    verdict: 'tolerate',
    change: after({ candidates: [{ content: { role: 'model', parts: [{ text: 'Oder 大阪?' }] }, index: 1 }] }),
  },
  brokenJson,
  {
    id: 'error-in-between',
    why: 'an `error` object ends a stream that began with 200',
    verdict: 'refuse',
    change: replacedBy('{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}'),
  },
]
