import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { behaviours } from './behaviours/catalogue.ts'

// Packages are tested as sources: their exports name ./src under this condition.
const conditions = ['@steploop/source', 'node', 'import', 'default']
const underCI = process.env['CI'] !== undefined

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/{core,mcp,otel,server}/test/**/*.test.ts',
      'packages/adapters/*/src/**/*.test.ts',
      'conformance/{page,src,test}/**/*.test.ts',
      'lab/src/**/*.test.ts',
      'bench/**/*.test.ts',
      'examples/*.test.ts',
      'behaviours/**/*.test.ts',
      'release/*.test.ts',
      'specs/*.test.ts',
      'runtimes/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // They need Chromium, and a Postgres server: vitest.browser.config.ts, vitest.postgres.config.ts.
    exclude: ['**/node_modules/**', 'test/{browser,postgres}/**'],
    unstubEnvs: true,
    // Workers, and all the processes that tests start, find what others of them have compiled.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
    tags: behaviours.map(({ id, behaviour }) => ({ name: id, description: behaviour })),
    // Two more than there are cores, as a third of what tests take is waiting; a percentage ends at the number of cores.
    maxWorkers: availableParallelism() + 2,
    // Nothing here waits for time to pass: this is for machines that are busy with other things.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // .ci/run reads its totals from this file.
    reporters: underCI ? ['default', ['junit', { outputFile: 'reports/tests.xml' }]] : ['default'],
    // Off until asked for: pnpm test --coverage
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**', 'packages/adapters/*/src/**', '{conformance,lab}/src/**'],
      exclude: ['**/*.test.ts', '**/testing.ts'],
      reporter: ['text-summary', 'html', 'lcov'],
      reportsDirectory: 'coverage',
      thresholds: { 'packages/core/src/policies/**': { lines: 80, functions: 80 } },
    },
  },
})
