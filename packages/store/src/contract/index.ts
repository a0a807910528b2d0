import type { ContractCase } from './contract-case.ts'
import { conversationCases } from './conversation-cases.ts'
import { responseCases } from './response-cases.ts'
import { tenantCases } from './tenant-cases.ts'

export type { ContractCase } from './contract-case.ts'

/** What a store has to do, whatever it keeps its data in. Needs no test runner. */
export const storeContract: readonly ContractCase[] = [...responseCases, ...conversationCases, ...tenantCases]
