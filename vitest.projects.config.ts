import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// Nothing stays behind from these tests, so that files share a worker and the modules it has loaded: loading is most of what they cost.
const sharing = [
  'packages/adapters/*/src/**/*.test.ts',
  'packages/{cassette,chat}/src/**/*.test.ts',
  'lab/src/**/*.test.ts',
  'behaviours/**/*.test.ts',
]

const { resolve = {}, ssr = {}, test = {} } = base
const { include = [], exclude = [], unstubEnvs = false, testTimeout = 5000, tags = [], ...root } = test
const common = { unstubEnvs, testTimeout, tags }

/** All tests: `pnpm test`. */
export default defineConfig({
  test: {
    ...root,
    projects: [
      { resolve, ssr, test: { ...common, name: 'sharing', isolate: false, include: sharing, exclude } },
      { resolve, ssr, test: { ...common, name: 'apart', include, exclude: [...exclude, ...sharing] } },
    ],
  },
})
