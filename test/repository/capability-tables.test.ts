import { expect, test } from 'vitest'
import { capabilityFiles, readText } from '../../scripts/capability-tables.ts'

/** The formatter pads tables; only the words count. */
const words = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')

test.each(capabilityFiles())(
  '$path shows the capabilities as they are (else run `pnpm docs:capabilities`)',
  ({ path, expected }) => {
    expect(words(readText(path))).toBe(words(expected))
  },
)
