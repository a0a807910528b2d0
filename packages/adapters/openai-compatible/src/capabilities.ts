import type { Capabilities } from '@steploop/core/adapter'
import { resolveDialect, type ChatDialect } from './dialect.ts'

/** What a provider can do as far as its dialect says; the rest is for the provider's package, or for `capabilities` of the factory. */
export function chatCapabilities(dialect: ChatDialect = {}): Capabilities {
  const { toolChoice, structured, structuredWithTools, replay, toolResultImages, streamOptions } =
    resolveDialect(dialect)
  const kinds: NonNullable<Capabilities['toolChoice']>[number][] = ['auto']
  if (toolChoice.none !== false) kinds.push('none')
  if (toolChoice.required !== false) kinds.push('required')
  if (toolChoice.tool !== false) kinds.push('tool')
  return {
    tools: true,
    parallel: true,
    toolChoice: kinds,
    structured: structured !== 'none',
    structuredWithTools: structured !== 'none' && structuredWithTools,
    reasoning: true,
    reasoningReplay: replay.length > 0,
    imageInput: true,
    fileInput: true,
    toolResultImages,
    streamUsage: streamOptions !== false,
  }
}
