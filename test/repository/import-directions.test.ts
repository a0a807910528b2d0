import { posix } from 'node:path'
import { wireKits } from '@steploop/conformance/cli'
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

/**
 * Rooms of a package, from the lowest floor up. A file knows its own room and lower floors; those of one floor know nothing of each other. A
 * room is a folder, a folder with all below it (`/**`), or one file of a folder: an entry of the package, a list of its folders.
 */
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
    ['live/weights'],
    ['live/servers'],
    ['live/gateways', 'live/trials'],
    ['cassette', 'live', 'mutants'],
    ['.'],
  ],
  'packages/cassette/src': [
    ['.'],
    ['format'],
    ['rules'],
    ['redaction'],
    ['file'],
    ['replay'],
    ['export', 'fetch', 'import', 'inspect', 'record', 'server'],
    ['msw'],
    ['index.ts'],
  ],
  'packages/server/src': [['.'], ['executors'], ['index.ts', 'node.ts']],
  'packages/store/src': [['.'], ['contract', 'sql'], ['chat', 'index.ts', 'postgres.ts', 'sqlite.ts']],
  'lab/src': [['cassette-tools', 'claim'], ['recording', 'traffic'], ['drift', 'conversations'], ['.']],
  'conformance/src': [
    ['.'],
    ['scenario-parts', 'wires/simulate', 'loop-tests/**'],
    ['wires/read'],
    ['wires/variants'],
    ['wires'],
    ['wires/openai-common'],
    wireKits.map(({ name }) => `wires/${name}/**`),
    ['wires/index.ts'],
    ['wires/any-format'],
    ['simulator'],
    ['play'],
    ['judge/trace'],
    ['judge'],
    ['report', 'scenarios', 'stress/hand-over', 'stress/requests'],
    ['stress'],
    ['run'],
    ['mutants'],
    ['cli.ts', 'index.ts', 'vitest.ts'],
  ],
}

/** Imports that go up, or across: package, path in it, and what it imports. */
const upward: readonly (readonly [root: string, path: string, specifier: string])[] = [
  ['packages/core/src', 'tools/x.ts', '../run/engine.ts'],
  ['packages/core/src', 'policies/x.ts', '../calls/dispatch.ts'],
  ['packages/core/src', 'run/state/x.ts', '../engine.ts'],
  ['packages/core/src', 'http/x.ts', '../index.ts'],
  ['packages/core/src', 'new-folder/x.ts', '../contract/adapter.ts'],
  ['packages/core/src', 'run/new-folder/x.ts', '../../contract/adapter.ts'],
  ['packages/cassette/src', 'format/x.ts', '../redaction/scan-cassette.ts'],
  ['packages/server/src', 'read-x.ts', './executors/mcp.ts'],
  ['conformance/src', 'scenario.ts', './play/play-scenario.ts'],
  ['conformance/src', 'wires/x.ts', './index.ts'],
  ['conformance/src', 'wires/ollama-chat/simulate/x.ts', '../../cohere-chat/x.ts'],
  ['conformance/src', 'judge/x.ts', '../index.ts'],
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

/** The room of a file in the table: the file itself, its folder, or a folder above it that stands there with all below it. */
function roomOf(root: string, path: string): { readonly name: string; readonly floor: number } {
  const rooms = (floors[root] ?? []).flatMap((onFloor, floor) => onFloor.map((name) => ({ name, floor })))
  const file = posix.relative(root, path)
  const above = file.split('/').map((_, depth, all) => `${all.slice(0, depth).join('/')}/**`)
  const folders = [posix.dirname(file), ...above]
  return (
    rooms.find(({ name }) => name === file) ??
    rooms.find(({ name }) => folders.includes(name)) ?? { name: file, floor: -1 }
  )
}

/** What is wrong with the imports of one file between the rooms of `root`, a line each. Tests may look everywhere. */
function judgeFloors(root: string, { path, isTest, imports }: Importing): string[] {
  if (isTest || !path.startsWith(`${root}/`)) return []
  const room = roomOf(root, path)
  if (room.floor === -1) return [`${path} is in a folder that has no floor in the table of this test`]
  return imports.flatMap((specifier) => {
    const target = posix.join(posix.dirname(path), specifier)
    if (!specifier.startsWith('.') || !target.startsWith(`${root}/`)) return []
    const other = roomOf(root, target)
    return other.name === room.name || (other.floor >= 0 && other.floor < room.floor)
      ? []
      : [`${path} imports ${specifier}`]
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
  expect(sources.filter(({ path }) => path.startsWith(`${root}/`)).length).toBeGreaterThan(20)
  expect(sources.flatMap((file) => judgeFloors(root, file))).toEqual([])
})

test.for(upward)('the table of floors of %s refuses that %s imports %s', ([root, path, specifier]) => {
  expect(judgeFloors(root, { path: `${root}/${path}`, isTest: false, imports: [specifier] })).toHaveLength(1)
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

test('subjects, live.config.ts, examples, bench, templates and the repository tests alone name adapters outside their own folder', () => {
  const allowed =
    /^(live\.config\.ts$|subjects\/|examples\/|behaviours\/|bench\/|specs\/|test\/|packages\/adapters\/|packages\/create-adapter\/templates\/)/
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
