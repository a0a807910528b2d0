import { azureEndpoint, azureHosts } from '../../../openai-common/azure-service.ts'
import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { checkWith, openaiDialect } from '../../simulate/check.ts'

/** Azure's deployments behind the Responses API: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses */
export const azure: SimulatedDialect = {
  name: 'azure',
  hosts: azureHosts,
  check: checkWith(openaiDialect),
  ...azureEndpoint('/responses'),
}
