import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// All others share a worker, and the modules it has loaded: loading is most of what they cost.
const apart = [
  // They replace modules: `vi.mock`.
  'packages/core/test/properties/**/*.test.ts',
  'packages/server/src/{disk-full,executors/redirect}.test.ts',
  // They set what OpenTelemetry's API has once per process, or measure the heap.
  'packages/otel/**/*.test.ts',
  'packages/mcp/{src/trace-context,test/trace}.test.ts',
  'test/telemetry/*.test.ts',
  'packages/core/src/{loop/loop-stream,run/state/abort-scope}.test.ts',
  // They wait for processes that they start: begun first, they hold up nobody at the end.
  'packages/cli/src/{auto-mutants/run-auto,conformance/conformance-workers,live/live}.test.ts',
  'packages/mcp/test/faults.test.ts',
  'test/{record/record-kill,repository/{docs,examples}}.test.ts',
]

// These replay through MSW, which changes what a process has once: they share among themselves.
const replaying = [
  'packages/adapters/*/src/**/*.test.ts',
  'packages/{cassette,chat}/src/**/*.test.ts',
  'lab/src/**/*.test.ts',
  'behaviours/**/*.test.ts',
  'packages/cli/src/{own-simulator,conformance/{conformance,merge},mutants/mutants,record/{drift,record},traffic/traffic}.test.ts',
  'packages/create-adapter/src/own-format.test.ts',
  'test/{adapters/no-secret-in-errors,chat/chat-stream,suite/{conformance,foreign-format,hand-over}}.test.ts',
  'test/record/{aimock-record,record-account-failures,recorded-conversations}.test.ts',
]

const { resolve = {}, ssr = {}, test = {} } = base
const {
  include = [],
  exclude = [],
  unstubEnvs = false,
  testTimeout = 5000,
  hookTimeout = 5000,
  tags = [],
  ...root
} = test
const common = { unstubEnvs, testTimeout, hookTimeout, tags }
const shared = { ...common, isolate: false }

/** All tests: `pnpm test`. */
export default defineConfig({
  test: {
    ...root,
    projects: [
      { resolve, ssr, test: { ...common, name: 'apart', include: apart, exclude } },
      { resolve, ssr, test: { ...shared, name: 'replaying', include: replaying, exclude } },
      { resolve, ssr, test: { ...shared, name: 'sharing', include, exclude: [...exclude, ...apart, ...replaying] } },
    ],
  },
})
