import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { scenarios } from '@steploop/conformance'
import { wireKits } from '@steploop/conformance/cli'
import { describe, expect, test } from 'vitest'
import { findFiles, parseSource, repository, type SourceFile } from './source-files.ts'

const names = wireKits.map(({ name }) => name)
const wires = 'conformance/src/wires/'

/** What several formats of one family share; its files know which they are. */
const families: Readonly<Record<string, readonly string[]>> = {
  'openai-common': ['openai-chat', 'openai-responses'],
}
const rooms = [...names, ...Object.keys(families)]

/** Files outside a format's folder that name one all the same, each with the reason. */
const excused: Readonly<Record<string, string>> = {
  'conformance/src/wires/index.ts': 'the list itself',
  'lab/src/cassette-tools/read-aimock.ts':
    'fixtures of aimock are in no wire format; this is the one they are written in unless told',
}

const files = [...findFiles('conformance/src/**/*.ts'), ...findFiles('lab/src/**/*.ts')]
  .filter((path) => !/(\.test|\/testing)\.ts$/.test(path))
  .map((path) => parseSource(path, readFileSync(join(repository, path), 'utf8')))

/** The format's folder that a file lies in; `undefined` for a neutral file. */
function roomOf(path: string): string | undefined {
  return rooms.find((name) => path.startsWith(`${wires}${name}/`))
}

function imported({ path, imports }: SourceFile): readonly string[] {
  return imports.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(path), name))
}

test('outside the folder of a wire format no file of the suite and of the lab names one', () => {
  const neutral = files.filter(({ path }) => roomOf(path) === undefined)
  expect(neutral.length).toBeGreaterThan(300)
  const naming = neutral.filter(({ text }) => {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    return names.some((name) => new RegExp(`['"\`/]${name}['"\`/]`).test(code))
  })
  expect(naming.map(({ path }) => path).toSorted()).toEqual(Object.keys(excused).toSorted())
})

test('a neutral file takes what it needs of a wire format from its kit', () => {
  const found = files
    .filter(({ path }) => roomOf(path) === undefined && !(path in excused))
    .flatMap((file) => imported(file).filter((target) => roomOf(target) !== undefined))
  expect(found).toEqual([])
})

describe.each(names)('the kit of %s', (name) => {
  const own = files.filter(({ path }) => roomOf(path) === name)

  test('lies in the folder of its name', () => {
    expect(own.map(({ path }) => path)).toContain(`${wires}${name}/index.ts`)
  })

  test('the kit takes nothing from another format', () => {
    const family = Object.keys(families).filter((shared) => families[shared]?.includes(name))
    const foreign = own.flatMap(imported).filter((target) => {
      const room = roomOf(target)
      return room !== undefined && room !== name && !family.includes(room)
    })
    expect(foreign).toEqual([])
  })

  test('the kit has readers and a simulator that share nothing', () => {
    const readers = own.filter(({ path }) => posix.basename(path).startsWith('read-'))
    const simulator = own.filter(({ path }) => /\/(simulate|dialects)\//.test(path))
    expect(readers.flatMap(imported).filter((target) => /\/(simulate|dialects)\//.test(target))).toEqual([])
    expect(simulator.flatMap(imported).filter((target) => /\/read-[^/]+$/.test(target))).toEqual([])
  })
})

test('what kits and dialects say of scenarios is said of scenarios that there are', () => {
  const ids = new Set(scenarios.map(({ id }) => id))
  const said = wireKits.flatMap(({ noWords = {}, shownOnTraffic = [], simulation }) => [
    ...[noWords, ...(simulation?.dialects ?? []).map((dialect) => dialect.noWords ?? {})].flatMap(Object.keys),
    ...shownOnTraffic,
  ])
  expect(said.length).toBeGreaterThan(100)
  expect(said.filter((key) => !ids.has(key.replace(/\/(generate|stream)$/, '')))).toEqual([])
})

test('two kits never claim the same payload or path', () => {
  const paths = [
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    '/api/chat',
    '/v2/chat',
    '/responses/v1/chat/completions',
  ]
  for (const path of paths) {
    expect(
      wireKits.filter(({ detect }) => detect.isEndpoint(path, { messages: [] })).map(({ name }) => name),
    ).toHaveLength(1)
  }
})

test('each error of a format, or of one of its dialects, has an id of its own: of one id the stressor tries the first alone', () => {
  const lists = wireKits.flatMap(({ errors = [], simulation }) => [
    errors,
    ...(simulation?.dialects ?? []).map((dialect) => dialect.errors ?? []),
  ])
  const again = lists.flatMap((errors) => {
    const ids = errors.flatMap(({ id, mode }) => (mode ? [`${id} ${mode}`] : [`${id} generate`, `${id} stream`]))
    return ids.filter((id, index) => ids.indexOf(id) < index)
  })
  expect([lists.some((errors) => errors.length > 50), again]).toEqual([true, []])
})

test('folders of the suite import each other one way, types too', () => {
  const folderOf = (path: string): string => path.split('/')[2] ?? ''
  const ties = new Set(
    files
      .filter(({ path }) => path.startsWith('conformance/src/') && path.split('/').length > 3)
      .flatMap((file) =>
        imported(file)
          .filter((target) => target.split('/').length > 3)
          .map((target) => `${folderOf(file.path)} ${folderOf(target)}`),
      ),
  )
  const mutual = [...ties].filter((tie) => {
    const [from = '', to = ''] = tie.split(' ')
    return from < to && ties.has(`${to} ${from}`)
  })
  expect(ties.size).toBeGreaterThan(10)
  expect(mutual).toEqual([])
})
