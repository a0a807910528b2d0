import { isObject, type AssistantPart } from '@steploop/core/adapter'

/** Texts in a value, with their paths. */
export function leavesOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`))
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}.${name}`)) : []
}

/** What a provider wants back unread, in a part: long texts without a space, with their paths. */
export function sealsOf({ providerMetadata }: AssistantPart): readonly (readonly [path: string, text: string])[] {
  return leavesOf(providerMetadata?.data).filter(([, text]) => text.length >= 16 && !text.includes(' '))
}

/** The item of a list, as JSON, that alone holds the text: the smallest one. */
export function ownerOf(text: string, value: unknown): string | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined
  const holders = Object.values<unknown>(value).filter((member) => JSON.stringify(member)?.includes(text))
  const [holder] = holders
  if (holders.length !== 1) return undefined
  return ownerOf(text, holder) ?? (Array.isArray(value) ? JSON.stringify(holder) : undefined)
}
