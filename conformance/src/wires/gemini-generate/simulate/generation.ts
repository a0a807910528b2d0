/** Gemini 3 counts as 3, 2.5 as 2.5; an alias without a number is the newest. */
export function generationOf(model: string): number {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(model)
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1])
}
