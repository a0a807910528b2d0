import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// They replace modules (`vi.mock`), or load them again: Vite's runner does that, Node does not.
const replacing = [
  'packages/cassette/src/errors.test.ts',
  'packages/core/test/properties/{,decisions/}mutants.test.ts',
  'packages/server/src/{disk-full,executors/redirect}.test.ts',
  'test/adapters/error-copies.test.ts',
]

// All others share a worker, and the modules it has loaded: loading is most of what they cost.
const apart = [
  // They count what nobody handled.
  'packages/core/test/properties/{loop,decisions/decisions}.test.ts',
  // They set what OpenTelemetry's API has once per process, or measure the heap.
  'packages/otel/**/*.test.ts',
  'packages/mcp/{src/trace-context,test/trace}.test.ts',
  'test/telemetry/*.test.ts',
  'packages/core/src/{loop/loop-stream,run/state/abort-scope}.test.ts',
  // They wait for processes that they start: begun first, they hold up nobody at the end.
  'packages/cli/src/{auto-mutants/run-auto,conformance/conformance-workers,live/live,processes/end-when-blocked}.test.ts',
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
const common = {
  unstubEnvs,
  testTimeout,
  hookTimeout,
  tags,
  // What a test leaves behind is mostly gone before it would be copied.
  execArgv: ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64'],
}
const native = {
  ...common,
  exclude: [...exclude, ...replacing],
  // Node loads the sources itself, as for those who start the program: nothing is transformed, and a call into another module costs no more
  // than there.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ['--conditions=@steploop/source', ...common.execArgv],
}
const shared = { ...native, isolate: false }

/** All tests: `pnpm test`. */
export default defineConfig({
  test: {
    ...root,
    projects: [
      { resolve, ssr, test: { ...common, name: 'replacing', include: replacing, exclude } },
      { test: { ...native, name: 'apart', include: apart } },
      { test: { ...shared, name: 'replaying', include: replaying, exclude: [...native.exclude, ...apart] } },
      { test: { ...shared, name: 'sharing', include, exclude: [...native.exclude, ...apart, ...replaying] } },
    ],
  },
})
