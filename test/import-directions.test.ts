import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { readSourceFiles } from './source-files.ts'
import { packageOf, readWorkspace, type WorkspacePackage } from './workspace.ts'

/** What a package may name of ours (a trailing `*`: any adapter) and, where it is closed, of the registry. */
interface Direction {
  readonly dependencies: readonly string[]
  readonly peerDependencies: readonly string[]
  readonly devDependencies: readonly string[]
  /** Runtime dependencies on others; the list is exact where it is short on purpose. */
  readonly foreign?: readonly string[]
}

const adapters = '<adapters>'
const directions: Record<string, Direction> = {
  'packages/core': {
    dependencies: [],
    peerDependencies: [],
    devDependencies: [],
    foreign: [],
  },
  'packages/adapters/*': {
    dependencies: [adapters],
    peerDependencies: ['@steploop/core', adapters],
    devDependencies: ['@steploop/core', '@steploop/cassette', adapters],
    foreign: [],
  },
  'examples/chat': {
    dependencies: [],
    peerDependencies: [],
    devDependencies: ['@steploop/core', '@steploop/chat', adapters],
  },
  'packages/chat': {
    dependencies: [],
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
    foreign: [],
  },
  'packages/store': {
    dependencies: [],
    peerDependencies: ['@steploop/core', '@steploop/chat'],
    devDependencies: ['@steploop/core', '@steploop/chat'],
    foreign: ['kysely'],
  },
  'packages/server': {
    dependencies: [],
    peerDependencies: ['@steploop/core', '@steploop/store', '@steploop/mcp'],
    devDependencies: ['@steploop/core', '@steploop/store', '@steploop/mcp'],
    foreign: ['hono', '@hono/node-server', 'zod'],
  },
  'packages/mcp': {
    dependencies: [],
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core', adapters],
    foreign: ['@modelcontextprotocol/client'],
  },
  'packages/otel': {
    dependencies: [],
    peerDependencies: ['@steploop/core'],
    devDependencies: ['@steploop/core'],
    foreign: [],
  },
  'packages/cassette': { dependencies: [], peerDependencies: [], devDependencies: [], foreign: ['yaml', 'zod'] },
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
    dependencies: [],
    peerDependencies: ['@steploop/core', '@steploop/conformance', 'steploop', adapters],
    devDependencies: ['@steploop/core', '@steploop/conformance', '@steploop/lab', 'steploop', adapters],
    foreign: ['@clack/prompts'],
  },
  bench: {
    dependencies: [],
    peerDependencies: [],
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
  reference: { dependencies: [], peerDependencies: [], devDependencies: [] },
  specs: {
    dependencies: [],
    peerDependencies: [],
    devDependencies: ['@steploop/core', '@steploop/cassette', '@steploop/conformance', adapters],
  },
}

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
      .filter((name) => names.has(name) && !permits(direction[kind], name))
      .map((name) => `${manifest.name} names ${name} in ${kind}`),
  )
  const foreign = Object.keys(manifest.dependencies).filter((name) => !names.has(name))
  const unexpected = foreign.filter((name) => direction.foreign?.includes(name) === false)
  return [...ours, ...unexpected.map((name) => `${manifest.name} names ${name} in dependencies`)]
}

/** What is wrong with the imports of one file of a package, a line each. */
function judgeImports(owner: WorkspacePackage, file: { path: string; isTest: boolean; imports: readonly string[] }) {
  const direction = directionOf(owner) ?? { dependencies: [], peerDependencies: [], devDependencies: [] }
  const permitted = [owner.name, ...direction.dependencies, ...direction.peerDependencies]
  // A scaffold's code is compiled here, and runs elsewhere.
  if (file.isTest || owner.private || file.path.includes('/templates/')) permitted.push(...direction.devDependencies)
  return file.imports.flatMap((specifier) => {
    if (specifier.startsWith('.')) {
      const target = posix.join(posix.dirname(file.path), specifier)
      return target.startsWith(`${owner.folder}/`) ? [] : [`${file.path} escapes into ${target}`]
    }
    const name = packageOf(specifier)
    return names.has(name) && !permits(permitted, name) ? [`${file.path} imports ${specifier}`] : []
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

test('every import of a package stays inside it or follows the directions', () => {
  const findings = workspace.flatMap((owner) =>
    sources.filter(({ path }) => path.startsWith(`${owner.folder}/`)).flatMap((file) => judgeImports(owner, file)),
  )
  expect(findings).toEqual([])
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

test.for([
  ['a type of another package', 'packages/adapters/openai/src/a.ts', '@steploop/conformance'],
  ['cassette outside a test', 'packages/adapters/openai/src/a.ts', '@steploop/cassette/fetch'],
  ['a sibling by a relative path', 'packages/adapters/openai/src/a.ts', '../../anthropic/src/wire.ts'],
  ['the root by a relative path', 'packages/adapters/openai/src/a.test.ts', '../../../../steploop.config.ts'],
] as const)('the import check refuses %s', ([, path, specifier]) => {
  const file = { path, isTest: path.endsWith('.test.ts'), imports: [specifier] }
  expect(judgeImports(packageWith({}), file)).toHaveLength(1)
})
