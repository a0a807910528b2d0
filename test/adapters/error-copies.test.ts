import { expect, test, vi } from 'vitest'

interface Made {
  readonly errorClass: { isInstance(value: unknown): boolean }
  readonly error: Error
}

/** The errors that cross packages. */
const errors: Readonly<Record<string, () => Promise<Made>>> = {
  async StepLoopError() {
    const { StepLoopError: errorClass } = await import('@steploop/core')
    return { errorClass, error: new errorClass('usage', '') }
  },
  async LoopError() {
    const { LoopError: errorClass } = await import('@steploop/core')
    return { errorClass, error: new errorClass('aborted', '') }
  },
  async AdapterError() {
    const { AdapterError: errorClass } = await import('@steploop/core')
    return { errorClass, error: new errorClass({ code: 'timeout', provider: 'p', model: 'm' }) }
  },
  async CassetteError() {
    const { CassetteError: errorClass } = await import('@steploop/cassette')
    return { errorClass, error: new errorClass('missing', { what: '', fix: '' }) }
  },
  async ChatRequestError() {
    const { ChatRequestError: errorClass } = await import('@steploop/chat')
    return { errorClass, error: new errorClass('conflict', '') }
  },
  async HarnessError() {
    const { HarnessError: errorClass } = await import('@steploop/conformance')
    return { errorClass, error: new errorClass('usage', '') }
  },
  async McpError() {
    const { McpError: errorClass } = await import('@steploop/mcp')
    return { errorClass, error: new errorClass('closed', '', { server: 's' }) }
  },
  async StoreError() {
    const { StoreError: errorClass } = await import('@steploop/store')
    return { errorClass, error: new errorClass('lease-lost', '') }
  },
}

/** Of one copy of all packages. */
async function load(): Promise<readonly (readonly [name: string, made: Made])[]> {
  vi.resetModules()
  return Promise.all(Object.entries(errors).map(async ([name, make]) => [name, await make()] as const))
}

// All packages are loaded twice, which takes its time on a busy machine.
const timeout = 60_000

test('`isInstance` of an error knows one of another copy of the package, and no other error', { timeout }, async () => {
  const [ours, theirs] = [await load(), await load()]
  for (const [name, { errorClass }] of ours) {
    const known = theirs.filter(([, { error }]) => errorClass.isInstance(error)).map(([other]) => other)
    const derived = Object.keys(errors).filter((other) => other !== 'CassetteError')
    expect([name, known]).toEqual([name, name === 'StepLoopError' ? derived : [name]])
    for (const [, { error }] of theirs) expect(error).not.toBeInstanceOf(errorClass)
  }
})
