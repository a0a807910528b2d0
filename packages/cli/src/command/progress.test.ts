import { expect, test } from 'vitest'
import { startProgress, type ProgressOptions } from './progress.ts'

/** What is written while one of a hundred things ends every half second. */
function written(options: ProgressOptions & { readonly isTTY: boolean }): readonly string[] {
  const lines: string[] = []
  let time = 0
  const out = {
    isTTY: options.isTTY,
    columns: 24,
    write: (text: string | Uint8Array): boolean => {
      lines.push(String(text))
      return true
    },
  }
  const progress = startProgress({ ...options, out, now: () => time })
  for (let number = 1; number <= 20; number++) {
    progress.begin(number, 20, 'anthropic/single-call')
    time += 500
  }
  progress.end()
  return lines
}

test('where there is no terminal a line tells now and then how far it is, and nothing in the first two seconds', () => {
  expect(written({ isTTY: false })).toEqual([
    '5 of 20, 2 s: anthropic/single-call\n',
    '15 of 20, 7 s: anthropic/single-call\n',
  ])
})

test('a command can ask for a line at once, and for each', () => {
  expect(written({ isTTY: false, quietMs: 0 })[0]).toBe('1 of 20, 0 s: anthropic/single-call\n')
  expect(written({ isTTY: false, quietMs: 0, everyMs: 0 })).toHaveLength(20)
})

test('on a terminal one line is written over, cut to its width, and removed at the end', () => {
  const lines = written({ isTTY: true })
  expect(lines[0]).toBe('\r\u001B[K5 of 20, 2 s: anthropic')
  expect(lines).toHaveLength(17)
  expect(lines.at(-1)).toBe('\r\u001B[K')
})
