import { mergeTypeMaps, typeMapOf, type TypeMap, type TypeMapOptions } from '../../type-map.ts'

/** The bodies of responses, as parsed JSON. */
export interface ResponsePayloads {
  /** Bodies of success that are not streamed. */
  readonly json: readonly unknown[]
  /** Payloads of streams. */
  readonly stream: readonly unknown[]
  /** Bodies with an error status. */
  readonly errors: readonly unknown[]
}

/** What belongs to the application, not to the wire format: echoed tools and schemas, inputs of tools. `plain` as in `TypeMapOptions`. */
export interface Freedom extends Pick<TypeMapOptions, 'open' | 'plain'> {
  readonly open: readonly string[]
  readonly plain: readonly string[]
}

/** Freedom of formats that echo tools and schemas. */
export const commonFreedom: Freedom = {
  open: ['.tools', '.metadata', '.input', '.text.format', '.tool_choice'],
  plain: ['.error'],
}

/** Fields and their types, with `json`, `stream` or `error` as the first word of every path. */
export function typesOfPayloads({ json, stream, errors }: ResponsePayloads, freedom: Freedom): TypeMap {
  return mergeTypeMaps(
    typeMapOf(json, { root: 'json', ...freedom }),
    typeMapOf(stream, { root: 'stream', ...freedom }),
    typeMapOf(errors, { root: 'error', ...freedom }),
  )
}
