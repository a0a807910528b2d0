import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// `import` as a condition would be that of `require` too, by which the driver loads its parts.
const conditions = ['@steploop/source', 'node', 'default']

/** The store's contract, what happens between connections, and all tests of the server with Postgres in place of the memory. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...base.test,
    include: ['test/postgres/*.test.ts', 'packages/server/{src,test}/**/*.test.ts', 'test/server/*.test.ts'],
    exclude: [],
    setupFiles: ['test/postgres/in-place-of-memory.ts'],
    testTimeout: 180_000,
    // Each has pools of its own, and some have deadlines.
    maxWorkers: 2,
    reporters: ['default'],
  },
})
