/** Functions of modules that a test may change while it runs, one at a time. */
type Functions = Readonly<Record<string, unknown>>

/** The living mutant, and the name of the function that it changes. */
export const state: { mutant: ((real: never) => unknown) | undefined; name: string } = { mutant: undefined, name: '' }

/** The module with the named functions called through the living mutant. */
export function through(real: Functions, ...names: readonly string[]): Functions {
  const changed = names.map((name) => {
    const original = real[name] as never
    const call = (...given: never[]): unknown => {
      const chosen = state.name === name && state.mutant !== undefined ? state.mutant(original) : original
      return (chosen as (...values: never[]) => unknown)(...given)
    }
    return [name, call] as const
  })
  return { ...real, ...Object.fromEntries(changed) }
}

/** How many draws it takes until a check `notices` that the mutant lives; `undefined`: it does not. */
export async function drawsToKill<Draw>(
  mutant: { readonly seam: string; readonly change: (real: never) => unknown },
  draws: readonly Draw[],
  notices: (draw: Draw) => Promise<boolean>,
): Promise<number | undefined> {
  state.name = mutant.seam
  state.mutant = mutant.change
  try {
    for (const [index, draw] of draws.entries()) if (await notices(draw)) return index + 1
    return undefined
  } finally {
    state.mutant = undefined
  }
}
