import { expect, test } from 'vitest'
import { modelTraits } from './model-traits.ts'

/** The vendor's model pages and its guide to thinking, as of November 2026. */
test.each([
  ['claude-3-haiku-20240307', 'none', 'nothing', true, true, false],
  ['claude-3-5-haiku-latest', 'none', 'nothing', true, true, false],
  ['claude-3.7-sonnet', 'budget', 'nothing', true, true, false],
  ['CLAUDE-OPUS-4-6', 'adaptive', 'nothing', true, false, true],
  ['claude-opus-4-20250514', 'budget', 'nothing', true, true, false],
  ['claude-opus-4-1', 'budget', 'nothing', true, false, false],
  ['claude-sonnet-4-5', 'budget', 'nothing', true, false, true],
  ['claude-opus-4-6', 'adaptive', 'nothing', true, false, true],
  ['claude-opus-4-7', 'adaptive', 'nothing', false, false, true],
  ['claude-opus-5', 'adaptive', 'disabled', false, false, true],
  ['claude-sonnet-5-5', 'adaptive', 'between_tools', false, false, true],
  ['claude-mythos-preview', 'adaptive', 'never', false, false, true],
  ['gpt-5', 'budget', 'nothing', true, true, false],
])('%s thinks (%s), stops thinking by %s, and takes what its version takes', (model, ...traits) => {
  const { thinking, thinkingOff, sampling, temperatureWithTopP, structured } = modelTraits(model)
  expect([thinking, thinkingOff, sampling, temperatureWithTopP, structured]).toEqual(traits)
})
