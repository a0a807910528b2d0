import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, type Outcome, talk } from './testing.ts'

test('stats counts each folder and all of them', async () => {
  const folder = folderWith({
    'cassettes/a/1.yaml': cassetteText([talk(), talk()]),
    'cassettes/a/2.yaml': cassetteText([talk({ ending: 'reset' })]),
    'cassettes/b/1.yaml': cassetteText([]),
  })
  const { code, stdout } = await cassetteCommand(folder, 'stats')
  expect(code).toBe(0)
  const [head, ...rows] = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/))
  expect(head?.slice(0, 3)).toEqual(['folder', 'files', 'exchanges'])
  expect(rows.map((row) => row.slice(0, 3))).toEqual([
    ['cassettes/a', '2', '3'],
    ['cassettes/b', '1', '0'],
    ['all', '3', '3'],
  ])
  const json = await cassetteCommand(folder, 'stats', 'cassettes/a', '--json', '-')
  expect(JSON.parse(json.stdout)).toMatchObject({
    total: { exchanges: 3, broken: 1, origins: { simulated: 2 }, oldest: '2026-01-02' },
  })
})

test('stats refuses a folder that is not there or empty, and a broken cassette', async () => {
  const folder = folderWith({ 'a.yaml': 'cassette: 1\n', 'empty/readme.md': '' })
  const outcomes: Outcome[] = []
  for (const words of [[], ['empty'], ['a.yaml']]) outcomes.push(await cassetteCommand(folder, 'stats', ...words))
  expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2])
  expect(outcomes[0]?.stderr).toContain('cassettes cannot be read (ENOENT)')
})
