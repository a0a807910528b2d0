import { minifySync } from 'rolldown/utils'
import { defineConfig } from 'vitest/config'
import { minify } from './release/minify.ts'
import base from './vitest.config.ts'

/**
 * What is published, after `pnpm build`: packages that a test imports by name are the built ones, and the sources of core that its own tests
 * import have the names that the published modules have.
 */
export default defineConfig({
  plugins: [
    {
      name: 'names as published',
      enforce: 'post',
      transform: (code, id) =>
        /packages\/core\/src\/.*(?<!\.test)\.ts$/.test(id)
          ? minifySync(id, code, { ...minify, module: true }).code
          : undefined,
    },
  ],
  test: {
    ...base.test,
    include: ['conformance/test/step-loop.test.ts', 'packages/core/src/**/*.test.ts'],
    isolate: false,
    reporters: ['default'],
  },
})
