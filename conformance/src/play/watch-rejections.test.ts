import { expect, test } from 'vitest'
import { watchRejections } from './watch-rejections.ts'

test('rejections that nobody listens to are reported once each, with how often', async () => {
  // Vitest itself ends a test for them.
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  const watch = watchRejections()
  try {
    for (let count = 0; count < 40; count++) void Promise.reject(new Error('left behind'))
    for (const name of ['a', 'b', 'c', 'd']) void Promise.reject(new TypeError(name))
    const reported = await watch.take()
    expect(reported[0]).toMatch(
      /nobody listens: Error: left behind \(at .*watch-rejections\.test\.ts:\d+:\d+\), 40 times$/,
    )
    expect(reported.slice(1)).toEqual([
      expect.stringMatching(/TypeError: a \(at [^)]+\)$/),
      expect.stringContaining('TypeError: b'),
      'and 2 other rejections',
    ])
    expect(await watch.take()).toEqual([])
  } finally {
    watch.stop()
    for (const other of others) process.on('unhandledRejection', other)
  }
})
