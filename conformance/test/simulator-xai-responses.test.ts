import { expect, test } from 'vitest'

import { simulatedWire } from '@steploop/conformance/simulator'

import { typesBeyond } from '../src/type-map.ts'
import { all, drop, expectRefused, set, type Corruption, type Draft, type Provider } from './simulator-corruption.ts'
import { emittedTypes, recordedTypes } from './simulator-emissions.ts'
import { matches, type EmissionException } from './simulator-emits-exceptions.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote } from './simulator-recorded.ts'

const weather = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }
const alerts = { type: 'function', name: 'list_alerts', parameters: { type: 'object', properties: {} } }
const head = { model: 'grok-4', tools: [weather, alerts], include: ['reasoning.encrypted_content'], store: false }
const question = { role: 'user', content: 'Weather in Zürich?' }

const provider: Provider = {
  wire: 'openai-responses',
  baseURL: 'https://api.x.ai/v1',
  path: '/responses',
  headers: { authorization: 'Bearer good' },
  first: { ...head, input: [question] },
  second(answer) {
    const output = answer['output'] as Draft[]
    const calls = output.filter(({ type }) => type === 'function_call')
    const results = calls.map((call) => ({ type: 'function_call_output', call_id: call['call_id'], output: '21 °C' }))
    return { ...head, input: [question, ...output, ...results] }
  },
  errorOf(body) {
    const { code, error, ...others } = body as Draft
    expect(others).toEqual({})
    return { code, message: error }
  },
}

const argument = 'Client specified an invalid argument'

// Input: 0 question, 1 reasoning, 2 message, 3 and 4 calls, 5 and 6 results.
const corruptions: readonly Corruption[] = [
  {
    name: 'a member that it does not know',
    corrupt: set('conversation', 'conv_1'),
    error: { code: argument, message: 'unknown field `conversation`' },
    status: 422,
  },
  {
    name: 'an effort for a model that takes none',
    corrupt: set('reasoning', { effort: 'low' }),
    error: { code: argument, message: 'Model grok-4 does not support parameter reasoningEffort.' },
  },
  {
    name: 'instructions beside a continued response',
    corrupt: all(set('previous_response_id', 'x'), set('instructions', 'Be brief.')),
    error: { code: argument, message: 'instructions cannot be combined with previous_response_id' },
  },
  {
    name: 'a response that it does not have',
    corrupt: set('previous_response_id', 'x'),
    error: { code: 'Some requested entity was not found', message: 'Response with id=x not found.' },
    status: 404,
  },
  {
    name: 'reasoning that was changed',
    corrupt: set('input.1.encrypted_content', 'gAAAAABother'),
    error: { message: 'could not be verified' },
  },
  {
    name: 'a call without its result',
    corrupt: drop('input.6'),
    error: { code: argument, message: 'No tool output found for function call' },
  },
]

test.each(corruptions)('xAI refuses $name', async (entry) => {
  await expectRefused(provider, entry)
})

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
  const emitted = emittedTypes(simulatedWire('openai-responses', provider.baseURL), requests)
  const differences = hasRecordedTraffic ? typesBeyond(emitted, recordedTypes(recorded, 'openai-responses')) : []
  expect(differences.filter(({ path }) => !exceptions.some((exception) => matches(exception, path)))).toEqual([])
  const idle = exceptions.filter((exception) => !differences.some(({ path }) => matches(exception, path)))
  expect(hasRecordedTraffic ? idle : []).toEqual([])
})
