import type { PageData } from '@steploop/conformance/cli'

/** `undefined` when the page has no report in it. */
export function readPageData(text: string): PageData | undefined {
  const value: unknown = JSON.parse(text)
  // Written by `printHtml` of the same version: the page and its data are one file.
  return typeof value === 'object' && value !== null ? (value as PageData) : undefined
}

/** What `printHtml` packed: JSON, deflated, as base64. */
export async function unpack<Value>(packed: string): Promise<Value> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const value: unknown = await new Response(stream).json()
  // `printHtml` of the same version packed it.
  return value as Value
}
