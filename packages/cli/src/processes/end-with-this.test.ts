import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endWithThis } from './end-with-this.ts'

test('many processes are watched by one listener, which goes with the last of them', async () => {
  const before = process.listenerCount('exit')
  const children = Array.from({ length: 12 }, () => spawn(process.execPath, ['--version'], { stdio: 'ignore' }))
  children.forEach(endWithThis)
  expect(process.listenerCount('exit')).toBe(before + 1)
  await Promise.all(children.map((child) => once(child, 'exit')))
  expect(process.listenerCount('exit')).toBe(before)
})
