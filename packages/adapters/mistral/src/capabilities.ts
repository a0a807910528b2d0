import type { Capabilities } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'

/** What Mistral and this adapter can do, alike in both modes. Which models reason and see is for Mistral to say. */
export const mistralCapabilities: Capabilities = {
  ...chatCapabilities(),
  structuredWithTools: false,
  providerTools: true,
}
