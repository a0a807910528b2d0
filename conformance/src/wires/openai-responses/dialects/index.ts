import { z } from 'zod'

import type { SimulatedDialect } from '../../simulate/wire-simulation.ts'
import { azure } from './azure/azure.ts'
import { checkWith, openaiDialect } from '../simulate/check.ts'
import { xai } from './xai/xai.ts'

/** Who else speaks this format, and what they accept beyond it. Fields were seen in accepted requests. */
export const responsesDialects: readonly SimulatedDialect[] = [
  { name: 'openai', hosts: ['api.openai.com'], check: checkWith(openaiDialect) },
  azure,
  { name: 'bedrock-mantle', hosts: ['api.aws'], check: checkWith(openaiDialect) },
  xai,
  { name: 'deepseek', hosts: ['api.deepseek.com'], check: checkWith({ ids: false, fields: {} }) },
  {
    name: 'openrouter',
    hosts: ['openrouter.ai'],
    check: checkWith({ ids: true, fields: { provider: z.looseObject({}).optional() } }),
  },
]
