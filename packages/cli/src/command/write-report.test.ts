import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkReportFiles, writeReport } from './write-report.ts'
import { scratchFolder } from '../testing.ts'

it('a report makes the folders of its file, and leaves nothing else in them', async () => {
  const root = scratchFolder()
  await writeReport(join(root, 'a/b/report.json'), '{}')
  expect(readFileSync(join(root, 'a/b/report.json'), 'utf8')).toBe('{}')
  expect(readdirSync(join(root, 'a/b'))).toEqual(['report.json'])
})

it('a command refuses one file for two reports, however it is named, before anything runs', async () => {
  const file = join(scratchFolder(), 'report')
  await expect(checkReportFiles({ '--json': file, '--junit': join(file, '../report') })).rejects.toThrow(
    /^--json and --junit are both to be written to '.*report'\. Give each a file\.$/,
  )
  writeFileSync(file, '')
  symlinkSync(file, `${file}-link`)
  await expect(checkReportFiles({ '--json': file, '--html': `${file}-link` })).rejects.toThrow('--json and --html')
  await expect(checkReportFiles({ '--json': file, '--html': `${file}.html` })).resolves.toBeUndefined()
})

it.skipIf(process.platform === 'win32')('a command takes a device for two reports', async () => {
  await expect(checkReportFiles({ '--json': '/dev/null', '--junit': '/dev/null' })).resolves.toBeUndefined()
})

it('writes through a link, which stays one', async () => {
  const root = scratchFolder()
  writeFileSync(join(root, 'real.json'), 'old')
  symlinkSync('real.json', join(root, 'link.json'))
  await writeReport(join(root, 'link.json'), 'new')
  expect(readFileSync(join(root, 'real.json'), 'utf8')).toBe('new')
  expect(lstatSync(join(root, 'link.json')).isSymbolicLink()).toBe(true)
})

it.skipIf(process.platform === 'win32')(
  'writes into a named pipe or a device, and does not take its place',
  async () => {
    const pipe = join(scratchFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const [read] = await Promise.all([readFile(pipe, 'utf8'), writeReport(pipe, '{"ok":true}')])
    expect(read).toBe('{"ok":true}')
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  },
)

it('what would keep a report from being written is said before the run, and nothing is made', async () => {
  const root = scratchFolder()
  mkdirSync(join(root, 'there'))
  writeFileSync(join(root, 'file'), '')
  const check = (file: string): Promise<void> => checkReportFiles({ '--json': file })
  await expect(check(join(root, 'there'))).rejects.toThrow(/^--json '.*' is a folder\. Give a file in it\.$/)
  await expect(check(join(root, 'file/report.json'))).rejects.toThrow(/which is a file\. Give another folder\.$/)
  await expect(check('')).rejects.toThrow('names no file')
  await expect(check(join(root, 'new/report.json'))).resolves.toBeUndefined()
  expect(existsSync(join(root, 'new'))).toBe(false)
})

it('stdout takes one report', async () => {
  await expect(checkReportFiles({ '--json': '-', '--html': undefined, '--junit': '-' })).rejects.toThrow(
    'Give - to --json or to --junit, not to both.',
  )
})
