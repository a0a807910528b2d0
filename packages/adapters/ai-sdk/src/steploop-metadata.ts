import type { JSONObject, JSONValue, SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { isObject, objectOf, textOf, toJsonValue, type Origin, type ProviderMetadata } from '@steploop/core/adapter'

/** Namespace in `providerMetadata` of what comes from an adapter, and in `providerOptions` of what returns. */
const namespace = 'steploop'

/** What a content part remembers of the adapter that made it. */
export interface SteploopMetadata {
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly responseId?: string | undefined
  readonly providerMetadata?: ProviderMetadata | undefined
  /** The text is a refusal, for which the AI SDK has no part. */
  readonly refusal?: boolean | undefined
}

export function metadataOf(
  { provider, model }: Origin,
  rest: Omit<SteploopMetadata, 'provider' | 'model'> = {},
): SharedV4ProviderMetadata {
  // Plain data by then: what `JSON` would drop is gone.
  return { [namespace]: toJsonValue({ provider, model, ...rest }) as JSONObject }
}

/** `undefined`: the part does not come from an adapter. */
export function steploopMetadataOf(options: SharedV4ProviderOptions | undefined): SteploopMetadata | undefined {
  const fields = options?.[namespace]
  if (fields === undefined) return undefined
  return {
    provider: textOf(fields['provider']),
    model: textOf(fields['model']),
    responseId: textOf(fields['responseId']),
    providerMetadata: payloadOf(fields['providerMetadata']),
    refusal: fields['refusal'] === true,
  }
}

function payloadOf(value: JSONValue | undefined): ProviderMetadata | undefined {
  const { provider, model, data } = objectOf(value)
  if (!isObject(value) || typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { provider, model, data }
}
