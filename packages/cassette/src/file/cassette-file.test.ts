import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cassetteOf, exchange } from '../testing.ts'
import { readCassette, writeCassette } from './cassette-file.ts'
import { printCassette } from '../format/print-cassette.ts'

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

test('a folder that is a file is reported as such', () => {
  const path = join(scratchFolder(), 'one.yaml')
  writeFileSync(path, 'old')
  expect(() => writeCassette(join(path, 'two.yaml'), sample)).toThrow(expect.objectContaining({ code: 'write-failed' }))
  expect(readFileSync(path, 'utf8')).toBe('old')
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

test('a process that is killed while it writes leaves a whole cassette, the old or the new', async () => {
  const folder = scratchFolder()
  const path = join(folder, 'one.yaml')
  const program = `
    import { writeCassette } from ${JSON.stringify(fileURLToPath(new URL('cassette-file.ts', import.meta.url)))}
    const origin = { kind: 'derived', by: 'tests', date: '2026-11-21' }
    for (let round = 0; ; round += 1) {
      const body = new TextEncoder().encode(String(round % 10).repeat(200_000))
      const request = { method: 'POST', url: 'https://api.example.com/', headers: {}, body }
      const response = { status: 200, headers: {}, body, chunks: [{ ms: 0, bytes: body.length }], ending: 'eof' }
      const header = { scenario: 'kill', mode: 'stream', provider: 'p', wire: 'w', model: 'm', origin }
      writeCassette(process.argv[1], { header, exchanges: [{ request, response }] }, { env: {} })
      if (round === 0) console.log('written')
    }`
  for (const delay of [0, 3, 7, 11]) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, path])
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, delay))
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(readCassette(path).exchanges).toHaveLength(1)
  }
})

test('a file that is not there or not UTF-8 is named', () => {
  const folder = scratchFolder()
  expect(() => readCassette(join(folder, 'none.yaml'))).toThrow(expect.objectContaining({ code: 'missing' }))
  writeFileSync(join(folder, 'bad.yaml'), new Uint8Array([0x63, 0xff]))
  expect(() => readCassette(join(folder, 'bad.yaml'))).toThrow(expect.objectContaining({ code: 'syntax' }))
})
