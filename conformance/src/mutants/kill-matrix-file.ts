/** The matrix of the last full run, beside the sources of the suite. */
export const killMatrixFile = new URL('../../mutants.json', import.meta.url)
