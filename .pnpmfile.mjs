/** The condition `@steploop/source` is for this repository alone: what is published holds `dist`, and not `src`. */
export const hooks = {
  /** @param {{ exports: Record<string, string | Record<string, string>> }} manifest */
  beforePacking(manifest) {
    const published = structuredClone(manifest)
    for (const target of Object.values(published.exports)) {
      if (typeof target !== 'string') delete target['@steploop/source']
    }
    return published
  },
}
