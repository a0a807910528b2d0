import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cassetteOf, exchange } from '../testing.ts'
import { readCassette, writeCassette } from './cassette-file.ts'
import { printCassette } from './print-cassette.ts'

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'))
  onTestFinished(() => {
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true })
  })
  return folder
}

const sample = cassetteOf(exchange({ chunks: ['data: 1\n\n'] }))

test('a written cassette is read back, in folders made on the way, and leaves nothing else', () => {
  const folder = join(scratchFolder(), 'example/deep')
  writeCassette(join(folder, 'one.yaml'), sample)
  expect(printCassette(readCassette(join(folder, 'one.yaml')))).toBe(printCassette(sample))
  expect(readdirSync(folder)).toEqual(['one.yaml'])
})

test('a write that fails leaves the old file and no scratch file', () => {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'one.yaml'))
  writeFileSync(join(folder, 'one.yaml/inside'), 'old')
  expect(() => writeCassette(join(folder, 'one.yaml'), sample)).toThrow(
    expect.objectContaining({ code: 'write-failed', file: join(folder, 'one.yaml') }),
  )
  expect(readdirSync(folder)).toEqual(['one.yaml'])
  expect(readFileSync(join(folder, 'one.yaml/inside'), 'utf8')).toBe('old')
})

test('scratch files of a killed process go with the next write, those of a living one stay', () => {
  const folder = scratchFolder()
  const dead = join(folder, 'one.yaml.dead.scratch')
  const living = join(folder, 'one.yaml.living.scratch')
  writeFileSync(dead, '')
  writeFileSync(living, '')
  utimesSync(dead, 1, 1)
  writeCassette(join(folder, 'one.yaml'), sample)
  expect(existsSync(dead)).toBe(false)
  expect(existsSync(living)).toBe(true)
})

test('a file that is not there or not UTF-8 is named', () => {
  const folder = scratchFolder()
  expect(() => readCassette(join(folder, 'none.yaml'))).toThrow(expect.objectContaining({ code: 'missing' }))
  writeFileSync(join(folder, 'bad.yaml'), new Uint8Array([0x63, 0xff]))
  expect(() => readCassette(join(folder, 'bad.yaml'))).toThrow(expect.objectContaining({ code: 'syntax' }))
})
