/** What no tool should return. */
export const oddValues: readonly (() => unknown)[] = [
  () => 'text',
  () => ({ degrees: 21 }),
  () => undefined,
  () => 12n,
  circular,
  () => new Error('returned'),
  () => new Map([['a', { b: Number.NaN }]]),
  () => ({
    get broken() {
      throw new Error('getter')
    },
  }),
  () => () => 'function',
  () => ({ toJSON: () => ({ at: new Date(0) }) }),
  bare,
  () => ['', -0, null, Symbol('s')],
  () => ({ ['__proto__']: { a: 1 } }),
]

/** What tools throw or reject with. */
export const oddErrors: readonly (() => unknown)[] = [
  () => new Error('broken'),
  () => 'a text',
  () => undefined,
  bare,
  () => ({ code: 'E_ODD', detail: 7n }),
  () => Object.defineProperty(new Error('hidden'), 'message', { get: throwing }),
  () => Object.assign(new Error('x'), { message: 7n }),
  () => new Error('a "quote"\nand a line'),
]

function circular(): unknown {
  const value: Record<string, unknown> = { name: 'loop' }
  value['self'] = value
  return value
}

function throwing(): never {
  throw new Error('message')
}

function bare(): unknown {
  const value: unknown = Object.create(null)
  return value
}
