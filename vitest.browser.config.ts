import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const underCI = process.env['CI'] !== undefined

/** Tests that need Debian's Chromium: `pnpm test:browser`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: [],
    reporters: underCI ? ['default', ['junit', { outputFile: 'reports/tests-in-a-browser.xml' }]] : ['default'],
  },
})
