import { createAzureChat, createOpenAICompatible } from '@steploop/openai-compatible'
import { azure, noPause, storesNothing, subjectOf } from './subject-of.ts'

const limits = {
  continuation: storesNothing,
  pause: noPause,
  toolResultImages: 'results are text: https://platform.openai.com/docs/api-reference/chat/create',
}

export const openaiCompatible = subjectOf({
  name: 'openai-compatible',
  wire: 'openai-chat',
  model: 'chat-model',
  baseURL: 'https://chat.example.com/v1',
  create: ({ baseURL = 'https://chat.example.com/v1', ...options }) => createOpenAICompatible({ ...options, baseURL }),
  scopes: ['openai-chat/any-server'],
  limits: {
    ...limits,
    providerTools:
      'which tools a server runs itself is for its own package to say (docs/wire.md#openai-chat-completions)',
    cacheControl:
      'Chat Completions has no cache switches in messages: https://platform.openai.com/docs/guides/prompt-caching',
  },
})

const azureURL = 'https://my-resource.openai.azure.com/openai/deployments/chat-deployment'

/** The dated API of Azure: the deployment is a part of the address. */
export const azureChat = subjectOf({
  ...azure,
  name: 'azure-chat',
  wire: 'openai-chat',
  model: 'chat-deployment',
  baseURL: azureURL,
  create: ({ baseURL = azureURL, ...options }) => createAzureChat({ ...options, baseURL, apiVersion: '2024-10-21' }),
  folder: 'openai-compatible',
  limits: {
    ...limits,
    providerTools: 'tools that run at Azure belong to the Responses format (docs/wire.md#openai-chat-completions)',
    cacheControl: 'caching is automatic: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching',
  },
})
