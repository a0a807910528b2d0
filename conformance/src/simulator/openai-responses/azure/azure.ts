import { azureDoor, azureHosts } from '../../azure-service.ts'
import type { SimulatedDialect } from '../../wire-simulation.ts'
import { checkWith, openaiDialect } from '../check.ts'

/** Azure's deployments behind the Responses API: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses */
export const azure: SimulatedDialect = {
  name: 'azure',
  hosts: azureHosts,
  check: checkWith(openaiDialect),
  ...azureDoor('/responses'),
}
