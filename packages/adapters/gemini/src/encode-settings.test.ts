import { expect, test } from 'vitest'
import { geminiCapabilities } from './capabilities.ts'
import { encoded } from './testing.ts'

test('more than five stop sequences are cut, with a warning', () => {
  const { body, warnings } = encoded({ settings: { stopSequences: ['1', '2', '3', '4', '5', '6', '7'] } })
  const stopSequences = ['1', '2', '3', '4', '5']
  expect(body['generationConfig']).toEqual({ stopSequences })
  expect(encoded({ settings: { stopSequences } }).warnings).toEqual([])
  expect(warnings).toMatchObject([{ type: 'dropped', path: 'settings.stopSequences' }])
})

test('a limit to one call per turn is reported as unsupported', () => {
  const { body, warnings } = encoded({ settings: { parallelToolCalls: false } })
  expect(body).not.toHaveProperty('generationConfig')
  expect(warnings).toMatchObject([{ type: 'unsupported', path: 'settings.parallelToolCalls' }])
})

test.for([
  ['gemini-3-flash-preview', 'high', { includeThoughts: true, thinkingLevel: 'HIGH' }, undefined],
  ['gemini-3.1-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'MEDIUM' }, undefined],
  ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'HIGH' }, 'coerced'],
  ['gemini-3-flash-preview', 'none', { includeThoughts: false, thinkingLevel: 'MINIMAL' }, 'coerced'],
  ['gemini-3-pro-preview', 'none', { includeThoughts: false, thinkingLevel: 'LOW' }, 'coerced'],
  ['gemini-flash-latest', 'low', { includeThoughts: true, thinkingLevel: 'LOW' }, undefined],
  ['gemini-2.5-flash', 'none', { includeThoughts: false, thinkingBudget: 0 }, undefined],
  ['gemini-2.5-flash', 'low', { includeThoughts: true, thinkingBudget: 1024 }, undefined],
  ['gemini-2.5-flash', 'medium', { includeThoughts: true, thinkingBudget: 8192 }, undefined],
  ['gemini-2.5-flash', 'high', { includeThoughts: true, thinkingBudget: 24576 }, undefined],
  ['gemini-2.5-pro', 'none', { includeThoughts: false, thinkingBudget: 128 }, 'coerced'],
  ['publishers/google/models/gemini-2.5-pro', 'low', { includeThoughts: true, thinkingBudget: 1024 }, undefined],
  ['gemini-2.0-flash', 'high', undefined, 'dropped'],
  ['gemini-2.0-flash', 'none', undefined, undefined],
  ['gemma-3-27b-it', 'low', undefined, 'dropped'],
] as const)(
  'a request of model %s with reasoning `%s` carries the thinkingConfig %j',
  ([model, reasoning, thinkingConfig, warning]) => {
    const { body, warnings } = encoded({ settings: { reasoning } }, { model })
    expect(body['generationConfig']).toEqual(thinkingConfig && { thinkingConfig })
    expect(warnings.map(({ type }) => type)).toEqual(warning === undefined ? [] : [warning])
  },
)

test.for([
  ['gemini-3-flash-preview', true, true],
  ['gemini-2.5-flash', false, true],
  ['gemini-2.0-flash', false, false],
] as const)(
  'the capabilities follow from the name %s: `structuredWithTools` is %s, `reasoning` is %s',
  ([model, combines, reasons]) => {
    expect(geminiCapabilities(model)).toMatchObject({
      structuredWithTools: combines,
      toolResultImages: combines,
      reasoning: reasons,
    })
  },
)
