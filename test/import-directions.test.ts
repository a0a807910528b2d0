import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { readSourceFiles } from './source-files.ts'
import { packageOf, readWorkspace, type WorkspacePackage } from './workspace.ts'

/** What a package may name of ours, nothing by default, and, where it is closed, of the registry. What its files may import is for lint. */
interface Direction {
  readonly dependencies?: readonly string[]
  readonly peerDependencies?: readonly string[]
  readonly devDependencies?: readonly string[]
  /** Runtime dependencies on others; the list is exact where it is short on purpose. */
  readonly foreign?: readonly string[]
}

const adapters = '<adapters>'
const directions: Record<string, Direction> = {
  'packages/core': { foreign: [] },
  'packages/adapters/*': {
    dependencies: [adapters],
    peerDependencies: ['@steploop/core', adapters],
    devDependencies: ['@steploop/core', '@steploop/cassette', adapters],
    foreign: [],
  },
  'examples/chat': {
    devDependencies: ['@steploop/core', '@steploop/chat', adapters],
  },
  'packages/chat': {
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
    foreign: [],
  },
  'packages/store': {
    peerDependencies: ['@steploop/core', '@steploop/chat'],
    devDependencies: ['@steploop/core', '@steploop/chat'],
    foreign: ['kysely'],
  },
  'packages/server': {
    peerDependencies: ['@steploop/core', '@steploop/store', '@steploop/mcp'],
    devDependencies: ['@steploop/core', '@steploop/store', '@steploop/mcp'],
    foreign: ['hono', '@hono/node-server', 'zod'],
  },
  'packages/mcp': {
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core', adapters],
    foreign: ['@modelcontextprotocol/client'],
  },
  'packages/otel': {
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
    foreign: [],
  },
  'packages/cassette': { foreign: ['yaml', 'zod'] },
  conformance: {
    dependencies: ['@steploop/cassette'],
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
  },
  lab: {
    dependencies: ['@steploop/cassette', '@steploop/conformance'],
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
  },
  'packages/cli': {
    dependencies: ['@steploop/cassette', '@steploop/conformance', '@steploop/lab'],
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
  },
  'packages/create-adapter': {
    peerDependencies: ['@steploop/core', '@steploop/conformance', 'steploop', adapters],
    devDependencies: ['@steploop/core', '@steploop/conformance', '@steploop/lab', 'steploop', adapters],
    foreign: ['@clack/prompts'],
  },
  bench: {
    devDependencies: [
      '@steploop/chat',
      '@steploop/core',
      '@steploop/cassette',
      '@steploop/conformance',
      '@steploop/otel',
      '@steploop/server',
      '@steploop/store',
      adapters,
    ],
  },
  reference: {},
  specs: {
    devDependencies: ['@steploop/core', '@steploop/cassette', '@steploop/conformance', adapters],
  },
}

/** Folders of a package, from the lowest floor up. A file knows its own folder and lower floors; those of one floor know nothing of each other. */
const floors: Record<string, readonly (readonly string[])[]> = {
  'packages/core/src': [
    ['contract'],
    ['wire'],
    ['http', 'sse', 'testing', 'tools'],
    ['output'],
    ['options', 'transcript'],
    ['calls', 'policies'],
    ['run/state'],
    ['run/turn'],
    ['run'],
    ['loop'],
    ['.'],
  ],
  'packages/cli/src': [
    ['processes'],
    ['command'],
    ['config'],
    ['traffic'],
    ['conformance'],
    ['auto-mutants', 'record'],
    ['cassette', 'live', 'mutants'],
    ['.'],
  ],
}

/** Imports that go up, or across: path, and what it imports. */
const upward: readonly (readonly [path: string, specifier: string])[] = [
  ['packages/core/src/tools/x.ts', '../run/engine.ts'],
  ['packages/core/src/policies/x.ts', '../calls/dispatch.ts'],
  ['packages/core/src/run/state/x.ts', '../engine.ts'],
  ['packages/core/src/http/x.ts', '../index.ts'],
  ['packages/core/src/new-folder/x.ts', '../contract/adapter.ts'],
]

const kinds = ['dependencies', 'peerDependencies', 'devDependencies'] as const
const workspace = readWorkspace()
const names = new Set(workspace.map(({ name }) => name))
const adapterNames = new Set(workspace.filter(isAdapter).map(({ name }) => name))
const sources = readSourceFiles()

function isAdapter({ folder }: Pick<WorkspacePackage, 'folder'>): boolean {
  return folder.startsWith('packages/adapters/')
}

function directionOf(found: Pick<WorkspacePackage, 'folder'>): Direction | undefined {
  return directions[isAdapter(found) ? 'packages/adapters/*' : found.folder]
}

function permits(list: readonly string[], name: string): boolean {
  return list.includes(name) || (list.includes(adapters) && adapterNames.has(name))
}

/** What is wrong with one manifest, a line each. */
function judgeManifest(manifest: WorkspacePackage): string[] {
  const direction = directionOf(manifest)
  if (direction === undefined) return [`${manifest.folder} has no row in the table of this test`]
  const ours = kinds.flatMap((kind) =>
    Object.keys(manifest[kind])
      .filter((name) => names.has(name) && !permits(direction[kind] ?? [], name))
      .map((name) => `${manifest.name} names ${name} in ${kind}`),
  )
  const foreign = Object.keys(manifest.dependencies).filter((name) => !names.has(name))
  const unexpected = foreign.filter((name) => direction.foreign?.includes(name) === false)
  return [...ours, ...unexpected.map((name) => `${manifest.name} names ${name} in dependencies`)]
}

interface Importing {
  readonly path: string
  readonly isTest: boolean
  readonly imports: readonly string[]
}

/** What is wrong with the imports of one file between the folders of `root`, a line each. Tests may look everywhere. */
function judgeFloors(root: string, { path, isTest, imports }: Importing): string[] {
  if (isTest || !path.startsWith(`${root}/`)) return []
  const floorOf = (folder: string): number => floors[root]?.findIndex((floor) => floor.includes(folder)) ?? -1
  const folder = posix.relative(root, posix.dirname(path)) || '.'
  if (floorOf(folder) === -1) return [`${path} is in a folder that has no floor in the table of this test`]
  return imports.flatMap((specifier) => {
    const target = posix.relative(root, posix.dirname(posix.join(posix.dirname(path), specifier))) || '.'
    if (!specifier.startsWith('.') || target === folder || target.startsWith('..')) return []
    return floorOf(target) < floorOf(folder) ? [] : [`${path} imports ${specifier}`]
  })
}

function packageWith(change: Partial<WorkspacePackage>): WorkspacePackage {
  const empty = { private: false, dependencies: {}, peerDependencies: {}, devDependencies: {} }
  return { name: '@steploop/openai', folder: 'packages/adapters/openai', ...empty, ...change }
}

test('every manifest keeps the import directions', () => {
  expect(workspace.length).toBeGreaterThanOrEqual(7)
  expect(workspace.flatMap(judgeManifest)).toEqual([])
})

test.for(Object.keys(floors))('in %s imports between folders go down, by the table of floors', (root) => {
  expect(sources.filter(({ path }) => path.startsWith(`${root}/`)).length).toBeGreaterThan(30)
  expect(sources.flatMap((file) => judgeFloors(root, file))).toEqual([])
})

test.for(upward)('the table of floors refuses that %s imports %s', ([path, specifier]) => {
  expect(judgeFloors('packages/core/src', { path, isTest: false, imports: [specifier] })).toHaveLength(1)
})

test('no package depends on itself by way of others', () => {
  const edges = new Map(workspace.map((found) => [found.name, kinds.flatMap((kind) => Object.keys(found[kind]))]))
  function reaches(from: string, target: string, seen: Set<string>): boolean {
    if (seen.has(from)) return false
    seen.add(from)
    return (edges.get(from) ?? []).some((next) => next === target || reaches(next, target, seen))
  }
  expect([...names].filter((name) => reaches(name, name, new Set()))).toEqual([])
})

test('steploop.config.ts, models.config.ts, live.config.ts, examples, bench, templates and the repository tests alone name adapters outside their own folder', () => {
  const allowed =
    /^((steploop|models|live)\.config\.ts$|examples\/|behaviours\/|bench\/|specs\/|test\/|packages\/adapters\/|packages\/create-adapter\/templates\/)/
  const naming = sources.filter(({ imports }) => imports.some((specifier) => adapterNames.has(packageOf(specifier))))
  expect(naming.map(({ path }) => path).filter((path) => !allowed.test(path))).toEqual([])
})

test.for([
  [
    'core naming an adapter',
    { name: '@steploop/core', folder: 'packages/core', devDependencies: { '@steploop/openai': '' } },
  ],
  [
    'core with a second runtime dependency',
    { name: '@steploop/core', folder: 'packages/core', dependencies: { zod: '' } },
  ],
  ['an adapter naming conformance', { devDependencies: { '@steploop/conformance': '' } }],
  ['an adapter that ships cassette', { dependencies: { '@steploop/cassette': '' } }],
  ['an adapter that ships a vendor SDK', { dependencies: { openai: '' } }],
  [
    'cassette naming core',
    { name: '@steploop/cassette', folder: 'packages/cassette', devDependencies: { '@steploop/core': '' } },
  ],
  [
    'conformance naming an adapter',
    { name: '@steploop/conformance', folder: 'conformance', devDependencies: { '@steploop/openai': '' } },
  ],
  [
    'conformance naming the lab',
    { name: '@steploop/conformance', folder: 'conformance', dependencies: { '@steploop/lab': '' } },
  ],
  ['the lab naming an adapter', { name: '@steploop/lab', folder: 'lab', dependencies: { '@steploop/openai': '' } }],
  [
    'the command line naming an adapter',
    { name: 'steploop', folder: 'packages/cli', dependencies: { '@steploop/openai': '' } },
  ],
  ['a package without a row', { name: '@steploop/new', folder: 'packages/new' }],
] as const)('the manifest check refuses %s', ([, change]) => {
  expect(judgeManifest(packageWith(change))).toHaveLength(1)
})
