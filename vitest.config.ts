import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@steploop/source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['@steploop/source', 'node', 'import', 'default'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/adapters/*/src/**/*.test.ts',
      'conformance/{src,test}/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    unstubEnvs: true,
  },
})
