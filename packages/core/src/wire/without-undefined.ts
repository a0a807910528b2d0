/** The members that were given: an `undefined` one must not hide another's when options are spread over options. */
export function withoutUndefined<Options extends object>(options: Options | undefined): Partial<Options> {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<Options>
}
