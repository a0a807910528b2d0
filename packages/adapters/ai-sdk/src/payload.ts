import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import {
  isObject,
  objectOf,
  ownMetadata,
  type JsonObject,
  type Origin,
  type ProviderMetadata,
} from '@steploop/core/adapter'

/**
 * What rides in `wire.data` of a part that came from an AI SDK model; all members but those of its kind are absent.
 * A part of a user message may carry `{ providerMetadata }` too, for cache breakpoints and the like.
 */
export interface Payload {
  /** The AI SDK's namespaced metadata (signatures, item ids), given back as `providerOptions` of the part. */
  readonly providerMetadata?: unknown
  /** The model's own id of a call, should core have changed it. */
  readonly id?: string | undefined
  /** The result of a call that the provider ran, as it came. */
  readonly result?: unknown
  readonly isError?: boolean | undefined
  /** A content part without neutral form, as it came. */
  readonly content?: JsonObject | undefined
}

/** Leaves out what is not there; `undefined` where there is nothing to keep. */
export function payload(origin: Origin, data: Payload): { readonly providerMetadata?: ProviderMetadata } {
  const entries = Object.entries(data).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? {} : { providerMetadata: { ...origin, data: Object.fromEntries(entries) } }
}

/** The data of a part's payload where this provider made it; an empty object otherwise. */
export function ownPayload(
  part: { readonly providerMetadata?: ProviderMetadata | undefined },
  { provider }: Origin,
): JsonObject {
  return objectOf(ownMetadata(part, provider))
}

/** Metadata goes back as options of the part: the AI SDK's own convention. */
export function metadataOf(own: JsonObject): { readonly providerOptions?: SharedV4ProviderOptions } {
  const { providerMetadata } = own
  // Came from the model under this very type, and returns unchanged.
  return isObject(providerMetadata) ? { providerOptions: providerMetadata as SharedV4ProviderOptions } : {}
}
