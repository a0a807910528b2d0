import { createAnthropic } from '@steploop/anthropic'
import { modelScenarios, subjectOf } from './subject-of.ts'

/** What Claude lacks on every cloud. */
export const claudeLimits = {
  continuation: 'every request holds the whole conversation: https://docs.claude.com/en/api/messages',
}

const fields = {
  wire: 'anthropic-messages',
  baseURL: 'https://api.anthropic.com/v1',
  create: createAnthropic,
  folder: 'anthropic',
  scopes: ['anthropic-messages/in-full'],
  apiKeyVariable: 'ANTHROPIC_API_KEY',
  limits: claudeLimits,
  models: ['claude-opus-4-8', 'claude-3-5-haiku-latest', 'claude-opus-4-1'],
}

export const anthropic = subjectOf({ ...fields, name: 'anthropic', model: 'claude-sonnet-4-5' })

/** A model that steers its thoughts by effort takes no temperature. */
export const anthropicAdaptive = subjectOf({
  ...fields,
  name: 'anthropic-adaptive',
  model: 'claude-opus-4-8',
  scenarios: modelScenarios,
})
