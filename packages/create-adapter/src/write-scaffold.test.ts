import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kinds, type Kind } from './kinds.ts'
import { ScaffoldError } from './scaffold-error.ts'
import { writeScaffold } from './write-scaffold.ts'

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scaffold-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function refusal(work: () => unknown): ScaffoldError {
  try {
    work()
  } catch (error) {
    if (error instanceof ScaffoldError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function textsOf(folder: string, files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
}

const always = [
  '.github/workflows/ci.yml',
  '.gitignore',
  'README.md',
  'known-failures.yaml',
  'package.json',
  'src/conformance.test.ts',
  'src/green-tea.ts',
  'steploop.config.ts',
  'tsconfig.build.json',
  'tsconfig.json',
]

describe.each(kinds)('a scaffold of kind %s', (kind: Kind) => {
  it('the scaffold has an adapter, a subject, a conformance test, a workflow, known failures and a README with a badge', () => {
    const folder = join(emptyFolder(), 'green-tea')
    const files = writeScaffold({ folder, kind, name: 'green-tea' })
    expect(files).toEqual(expect.arrayContaining(always))
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    expect(readme).toContain('badge.svg')
    expect(readme).toContain('img.shields.io/endpoint?url=')
    expect(readme).toContain('npx steploop verify steploop-claim.json --badge steploop-badge.json')
  })

  it('the scaffold has the name of the adapter in every spelling, and nothing of the template is left in its code', () => {
    const folder = join(emptyFolder(), 'green-tea')
    const files = writeScaffold({ folder, kind, name: 'green-tea' })
    const texts = textsOf(folder, files)
    expect(texts.get('src/green-tea.ts')).toContain('createGreenTea')
    expect(texts.get('steploop.config.ts')).toContain("name: 'green-tea'")
    for (const [file, text] of texts) {
      if (file.startsWith('cassettes/')) continue
      expect(`${file}: ${text}`).not.toMatch(/my-llm|MyLlm|myLlm|MY_LLM|2000-01-01/)
    }
  })

  it('the scaffold names no package without a range, and has core as a peer', () => {
    const folder = join(emptyFolder(), 'green-tea')
    writeScaffold({ folder, kind, name: 'green-tea' })
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const ranges = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies }
    expect(manifest.name).toBe('steploop-green-tea')
    expect(Object.keys(manifest.peerDependencies)).toEqual(['@steploop/core'])
    expect(Object.entries(ranges).filter(([, range]) => range === '*')).toEqual([])
  })
})

it('every package of ours that a scaffold names is a peer, so that a new version of it makes a new scaffold', () => {
  const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const named = kinds.flatMap((kind) => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(
      readFileSync(new URL(`../templates/${kind}/manifest.json`, import.meta.url), 'utf8'),
    )
    return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  })
  const ours = [...new Set(named.filter((name) => /^(@steploop\/|steploop$)/.test(name)))].toSorted()
  expect(Object.keys(own.peerDependencies)).toEqual(ours)
  expect(Object.keys(own.peerDependenciesMeta)).toEqual(ours)
})

describe.each(['http', 'chat-dialect', 'ai-sdk'] as const)('example cassettes of %s', (kind) => {
  it('the example cassettes are whole, and those of the new adapter', () => {
    const folder = join(emptyFolder(), 'green-tea')
    const files = writeScaffold({ folder, kind, name: 'green-tea' })
    const cassettes = files.filter((file) => file.startsWith('cassettes/'))
    expect(cassettes).toHaveLength(10)
    for (const text of textsOf(folder, cassettes).values()) {
      // As docs/record-a-cassette.md has it: of the file without this line.
      const [line = '', hash] = /^sha256: ([0-9a-f]{64})\n/m.exec(text) ?? []
      expect(createHash('sha256').update(text.replace(line, '')).digest('hex')).toBe(hash)
      expect(text).toContain('\nprovider: "green-tea"\n')
    }
  })

  it('the example cassettes say what those of the template say, byte by byte', () => {
    const folder = join(emptyFolder(), 'green-tea')
    const files = writeScaffold({ folder, kind, name: 'green-tea' })
    const cassettes = files.filter((file) => file.startsWith('cassettes/'))
    const template = fileURLToPath(new URL(`../templates/${kind}`, import.meta.url))
    const bodies = (from: string): readonly string[] =>
      [...textsOf(from, cassettes).values()].map((text) => text.slice(text.indexOf('\n---\n')))
    expect(bodies(folder)).toEqual(bodies(template))
  })
})

it('Git is kept away from the line ends of cassettes', () => {
  const folder = join(emptyFolder(), 'green-tea')
  expect(writeScaffold({ folder, kind: 'http', name: 'green-tea' })).toContain('.gitattributes')
  expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toContain('cassettes/** -text')
})

it('known failures expire half a year after the day of the scaffold', () => {
  const folder = join(emptyFolder(), 'one')
  writeScaffold({ folder, kind: 'ai-sdk', name: 'one', today: new Date('2026-09-30T12:00:00Z') })
  expect(readFileSync(join(folder, 'known-failures.yaml'), 'utf8')).toContain("expires: '2027-03-01'")
})

it('an empty folder is used, and stays the folder that somebody may stand in', () => {
  const folder = emptyFolder()
  const { ino } = statSync(folder)
  const files = writeScaffold({ folder, kind: 'http', name: 'one' })
  expect(statSync(folder).ino).toBe(ino)
  const written = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  expect(written).toHaveLength(files.length)
})

it('a new repository of Git is used, and kept', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main')
  writeScaffold({ folder, kind: 'http', name: 'one' })
  expect(existsSync(join(folder, 'src/one.ts'))).toBe(true)
  expect(readFileSync(join(folder, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/main')
})

it('a folder that holds anything is refused with what it holds, and stays as it is', () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'diary.txt'), 'mine')
  const { code, message } = refusal(() => writeScaffold({ folder, kind: 'http', name: 'one' }))
  expect(code).toBe('target')
  expect(message).toContain('diary.txt')
  expect(readdirSync(folder)).toEqual(['diary.txt'])
})

it('a file in the place of the folder is refused', () => {
  const folder = join(emptyFolder(), 'one')
  writeFileSync(folder, '')
  expect(refusal(() => writeScaffold({ folder, kind: 'http', name: 'one' })).code).toBe('target')
})

it.each(['', 'My-LLM', '-a', 'a--b', 'a_b', '1a', 'a/b'])(
  'the name %j is refused before anything is written',
  (name) => {
    const parent = emptyFolder()
    const { code, message } = refusal(() => writeScaffold({ folder: join(parent, 'new'), kind: 'http', name }))
    expect(code).toBe('usage')
    expect(message).toContain(`'${name}'`)
    expect(readdirSync(parent)).toEqual([])
  },
)

it.each(['new', 'default', 'private', 'eval', 'capabilities', 'origin', 'error-text'])(
  'the name %j is refused: the code uses the word already',
  (name) => {
    const { code, message } = refusal(() => writeScaffold({ folder: join(emptyFolder(), 'new'), kind: 'http', name }))
    expect(code).toBe('usage')
    expect(message).toContain(`'${name}'`)
  },
)

it('a folder that would lie in a file is refused, with the fix', () => {
  const file = join(emptyFolder(), 'file')
  writeFileSync(file, '')
  const { code, message } = refusal(() => writeScaffold({ folder: join(file, 'one'), kind: 'http', name: 'one' }))
  expect(code).toBe('target')
  expect(message).toContain('Give another one')
})

it('nothing is left behind when it cannot be finished', () => {
  const parent = emptyFolder()
  mkdirSync(join(parent, 'new'))
  const kind = 'no-such-kind' as Kind
  expect(() => writeScaffold({ folder: join(parent, 'new'), kind, name: 'one' })).toThrow('no-such-kind')
  expect(readdirSync(parent)).toEqual(['new'])
  expect(readdirSync(join(parent, 'new'))).toEqual([])
})
