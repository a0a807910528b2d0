import { expect, test } from 'vitest'

import { simulatedWire } from '@steploop/conformance/simulator'

import { typesBeyond } from '../src/type-map.ts'
import { emittedTypes, recordedTypes } from './simulator-emissions.ts'
import { matches, type EmissionException } from './simulator-emits-exceptions.ts'
import { xaiResponses } from './simulator-providers.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote } from './simulator-recorded.ts'

const refusal = 'No refusal is recorded of xAI; the format has this part.'
const call = 'No function call is recorded of xAI; the format has these events.'
const hosted =
  'Tools that xAI runs itself are recorded in answers that are not streamed only; the format has these events.'
const fault = 'No fault and no error is recorded of xAI; the format has this event and this member.'
const sources = 'Sources of xAI are recorded in answers that are not streamed only; the format has this event.'
const limit = 'No answer that ran out of tokens is recorded of xAI; the format has this event and this member.'

const exceptions: readonly EmissionException[] = [
  { path: 'error', reason: 'No error is recorded; the guide to debugging documents a code and a text.' },
  { path: 'json.error*', reason: fault },
  { path: 'stream<error>', reason: fault },
  { path: 'stream<response.failed>', reason: fault },
  { path: 'json.incomplete_details*', reason: limit },
  { path: 'stream<response.incomplete>', reason: limit },
  { path: '*<function_call>', reason: call },
  { path: 'stream<response.function_call_arguments.*>', reason: call },
  { path: 'stream<response.*<web_search_call>', reason: hosted },
  { path: 'stream<response.*<code_interpreter_call>', reason: hosted },
  { path: 'stream<response.web_search_call.*>', reason: hosted },
  { path: 'stream<response.code_interpreter_call.*>', reason: hosted },
  { path: '*<refusal>', reason: refusal },
  { path: 'stream<response.refusal.*>', reason: refusal },
  { path: 'stream<response.*.annotations[]<url_citation>', reason: sources },
  { path: 'stream<response.output_text.annotation.added>', reason: sources },
  { path: 'json.output[]<reasoning>', reason: 'Reasoning is recorded in streams only.' },
]

test(`events, fields and types of what xAI emits were all recorded of xAI${trafficNote}`, () => {
  const recorded = recordedExchanges(['openai-responses']).filter(({ address }) => address.includes('vercel-ai__xai__'))
  const requests = [
    { model: 'grok-4', input: 'x' },
    { model: 'grok-code-fast-1', input: 'x' },
  ]
  const emitted = emittedTypes(simulatedWire('openai-responses', xaiResponses.baseURL), requests)
  const differences = hasRecordedTraffic ? typesBeyond(emitted, recordedTypes(recorded, 'openai-responses')) : []
  expect(differences.filter(({ path }) => !exceptions.some((exception) => matches(exception, path)))).toEqual([])
  const idle = exceptions.filter((exception) => !differences.some(({ path }) => matches(exception, path)))
  expect(hasRecordedTraffic ? idle : []).toEqual([])
})
