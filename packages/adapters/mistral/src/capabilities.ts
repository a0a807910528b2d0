import type { Capabilities } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { mistralDialect } from './dialect.ts'

/** What Mistral and this adapter can do, alike in both modes. Which models reason and see is for Mistral to say. */
export const mistralCapabilities: Capabilities = {
  ...chatCapabilities(mistralDialect('')),
  providerTools: true,
  // In the finish chunk, without being asked for.
  streamUsage: true,
}
