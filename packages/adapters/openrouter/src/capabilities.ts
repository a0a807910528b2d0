import type { Capabilities } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'

/** What OpenRouter passes on, alike in both modes; what the chosen model makes of it is for the model's page to say. */
export const openrouterCapabilities: Capabilities = {
  ...chatCapabilities(),
  // In the last chunk, without being asked for.
  streamUsage: true,
  providerTools: true,
  cacheControl: true,
}
