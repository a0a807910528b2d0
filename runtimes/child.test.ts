import { expect, test } from 'vitest'
import { runChild } from './child.ts'

const node = process.execPath

test('a child gives what it printed', async () => {
  const printed = await runChild(node, ['-e', 'console.log("Zürich")'], { timeLimit: 20_000 })
  expect(printed).toBe('Zürich\n')
})

test.for([
  ['its errors', 'error: no such thing\\n  at a\\n  at b\\n  at c', 'exit code 3: error: no such thing'],
  [
    'the end of its complaints when none is called an error',
    'one\\ntwo\\nthree\\nfour',
    'exit code 3: two | three | four',
  ],
] as const)('a child that fails gives %s', async ([, complaints, message]) => {
  const script = `console.error("${complaints}"); process.exitCode = 3`
  const failure = await runChild(node, ['-e', script], { timeLimit: 20_000 }).catch(String)
  expect(failure).toBe(`Error: ${node} failed, ${message}`)
})

test('a child that takes too long is ended, with the children that it started', async () => {
  // The inner process holds the pipes open: only when both are gone, the outer one counts as closed.
  const script = `require('node:child_process').spawnSync(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'inherit' })`
  await expect(runChild(node, ['-e', script], { timeLimit: 300 })).rejects.toThrow('ended after 300 ms')
})

test('a program that does not exist is an error, not a hang', async () => {
  await expect(runChild('no-such-program-anywhere', [], { timeLimit: 20_000 })).rejects.toThrow('ENOENT')
})
