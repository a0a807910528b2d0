import { diag, trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { checkApi, type TelemetryOptions } from './options.ts'
import { recordRun } from './run-recorder.ts'
import { makeSetup } from './setup.ts'
import { telemetry } from './telemetry.ts'
import { memorySdk } from './testing.ts'

const sdk = memorySdk()
const real = sdk.options.tracerProvider

test('without an SDK there is no middleware at all, and an SDK that comes later is seen', () => {
  const tracerProvider = trace.getTracerProvider()
  const setup = makeSetup({})
  expect(recordRun(setup)).toEqual({})
  try {
    trace.setGlobalTracerProvider(real)
    expect(Object.keys(recordRun(setup))).toEqual(['run', 'turn', 'tool'])
  } finally {
    trace.disable()
  }
  expect(trace.getTracerProvider()).not.toBe(tracerProvider)
})

test.each([
  [{ contents: 'spans' }, /`contents` is no option\. There are: agent, content/],
  [{ content: 'all' }, /It takes: spans, events/],
  [{ content: true }, /It takes: spans, events/],
  [{ redact: () => 1 }, /without `content/],
  [{ maxLength: 100 }, /without `content/],
  [{ content: 'spans', maxLength: 0 }, /whole number/],
  [{ content: 'spans', maxLength: Number.NaN }, /whole number/],
  [{ content: 'spans', redact: 'all' }, /function/],
  [{ conventions: 'v1.36' }, /current, v1\.41/],
  [{ conventions: 'toString' }, /current, v1\.41/],
  [{ agent: 'scout' }, /texts/],
  [{ agent: { title: 'x' } }, /texts/],
  [{ agent: { name: 1 } }, /texts/],
  [{ tracerProvider: {} }, /getTracer/],
  [{ suspendedRuns: { get: () => undefined } }, /set/],
  [null, /object/],
  ['spans', /object/],
])('options that telemetry does not have are refused: %j', (options, message) => {
  expect(() => telemetry(options as unknown as TelemetryOptions)).toThrow(message)
  expect(() => telemetry(options as unknown as TelemetryOptions)).toThrow(
    expect.objectContaining({ code: 'invalid-options' }),
  )
})

const key = Symbol.for('opentelemetry.js.api.1')
const withGlobal = (value: unknown, check: () => void): void => {
  const before: unknown = Reflect.get(globalThis, key)
  Reflect.set(globalThis, key, value)
  try {
    check()
  } finally {
    Reflect.set(globalThis, key, before)
  }
}

test('the API older than 1.10: the error names its version', () => {
  withGlobal({ version: '1.9.0' }, () => {
    expect(() => checkApi({ trace, diag })).toThrow(/needs @opentelemetry\/api 1\.10 or newer, and has 1\.9\.0/)
  })
  withGlobal(undefined, () => {
    // This API tells its version when it registers something.
    expect(() => checkApi({ trace, diag })).toThrow(/and has 1\.\d+\.\d+/)
    expect(Reflect.get(globalThis, key)).toBeUndefined()
  })
})

test('an SDK that another copy of the API registered, and this copy cannot read, is an error', () => {
  withGlobal({ version: '1.9.0', trace: real }, () => {
    expect(() => telemetry()).toThrow(/another copy of @opentelemetry\/api, 1\.9\.0/)
  })
})

test('two copies of the API in one version see the same SDK', () => {
  withGlobal({ version: '1.10.0', trace: real }, () => {
    expect(() => telemetry()).not.toThrow()
    expect(Object.keys(recordRun(makeSetup({})))).toContain('run')
  })
})
