import { isRecord, listOf, recordOf, textOf } from './json-value.ts'

type Header = readonly [name: string, value: string]

/** Headers as recorders write them: `{ name: value }`, `{ name: [values] }`, or `[{ name, value }]`. */
export function recordedHeaders(value: unknown): readonly Header[] {
  if (isRecord(value)) return Object.entries(value).flatMap(([name, content]) => headerOf(name, content))
  return listOf(value).flatMap((entry) => {
    const { name, value: content } = recordOf(entry)
    return typeof name === 'string' ? headerOf(name, content) : []
  })
}

function headerOf(name: string, content: unknown): readonly Header[] {
  const values = (Array.isArray(content) ? content : [content]).filter(
    (one) => typeof one === 'string' || typeof one === 'number',
  )
  // HTTP/2 pseudo headers (`:authority`) are part of the URL, not headers.
  return values.length === 0 || name.startsWith(':') ? [] : [[name.toLowerCase(), values.join(', ')]]
}

/** The value of a header, in lower case names. */
export function headerValue(headers: readonly Header[], name: string): string | undefined {
  return textOf(headers.find(([key]) => key === name)?.[1])
}

/** The day that a `date` header names, `YYYY-MM-DD`. */
export function dayOf(text: string | undefined): string | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)
}
