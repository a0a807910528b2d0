/**
 * The smallest part of `items` that still fails, by halves and then one by one. `items` as a whole has to fail. Most faults need one item:
 * then it takes about twice the logarithm of their number of tries.
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (part: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let part = items
  while (part.length > 1) {
    const smaller = await firstFailing(halves(part), fails)
    if (smaller === undefined) return withoutIdle(part, fails)
    part = smaller
  }
  return part
}

/** More tries than this are not worth it: what is left is small enough to read. */
const mostTries = 64

/** No half fails alone: leaves out one item at a time as long as the rest fails. */
async function withoutIdle<Item>(
  items: readonly Item[],
  fails: (part: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let part = items
  for (const item of items.slice(0, mostTries)) {
    const rest = part.filter((other) => other !== item)
    if (rest.length > 0 && (await fails(rest))) part = rest
  }
  return part
}

function halves<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const middle = items.length >> 1
  return [items.slice(0, middle), items.slice(middle)]
}

async function firstFailing<Item>(
  parts: readonly (readonly Item[])[],
  fails: (part: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[] | undefined> {
  for (const part of parts) if (await fails(part)) return part
  return undefined
}
