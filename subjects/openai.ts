import { createAzureOpenAI, createOpenAI } from '@steploop/openai'
import { azure, modelScenarios, subjectOf } from './subject-of.ts'

const pause = 'the Responses API knows no paused turns (docs/wire.md#responses-how-a-stream-ends)'
const noReasoning = 'GPT 4.1 does not reason: https://platform.openai.com/docs/models/gpt-4.1-mini'

const fields = {
  wire: 'openai-responses',
  baseURL: 'https://api.openai.com/v1',
  create: createOpenAI,
  folder: 'openai',
  scopes: ['openai-responses/in-full'],
  apiKeyVariable: 'OPENAI_API_KEY',
  models: ['gpt-4.1-mini', 'gpt-5', 'o3'],
}

export const openai = subjectOf({ ...fields, name: 'openai', model: 'gpt-5-mini', limits: { pause } })

/** A model that does not reason takes a temperature. */
export const openaiPlain = subjectOf({
  ...fields,
  name: 'openai-plain',
  model: 'gpt-4.1-mini',
  limits: { pause, reasoning: noReasoning, reasoningReplay: noReasoning },
  scenarios: modelScenarios,
})

const azureURL = 'https://my-resource.openai.azure.com/openai/v1'

/** The v1 API of Azure: the deployment is the model. */
export const azureResponses = subjectOf({
  ...azure,
  name: 'azure-responses',
  wire: 'openai-responses',
  model: 'reasoning-deployment',
  baseURL: azureURL,
  create:
    ({ baseURL = azureURL, ...options }) =>
    (model) =>
      createAzureOpenAI({ ...options, baseURL, apiVersion: 'preview' })(model, { reasoning: true }),
  folder: 'openai',
  limits: { pause },
})
