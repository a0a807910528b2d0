import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scratchFolder } from '../test/scratch-folder.ts'
import { repository } from '../test/repository/source-files.ts'
import { brokenApplications } from './broken-applications.ts'
import { publicPackages } from './packages.ts'
import { publishPackages } from './publish.ts'

const packages = publicPackages(repository)

test('all published packages have one version, so that none asks for another core than it was released with', () => {
  const config = z
    .looseObject({ fixed: z.array(z.array(z.string())) })
    .parse(JSON.parse(readFileSync(join(repository, '.changeset/config.json'), 'utf8')))
  expect(config.fixed.map((names) => names.toSorted())).toEqual([packages.map(({ name }) => name).toSorted()])
})

test('a first release is reported once for each package, as a minor version', () => {
  const isListed = packages.map(({ name, folder: path }) => {
    const short = path.slice(path.lastIndexOf('/') + 1)
    const text = readFileSync(join(repository, `.changeset/first-release-${short}.md`), 'utf8')
    return text.startsWith(`---\n'${name}': minor\n---\n\nFirst release: `)
  })
  expect(isListed).toEqual(packages.map(() => true))
})

test('packages are published behind those that they ask for', () => {
  const names = packages.map(({ name }) => name)
  for (const { name, dependencies, peerDependencies } of packages) {
    const asked = Object.keys({ ...dependencies, ...peerDependencies }).filter((other) => names.includes(other))
    expect(asked.filter((other) => names.indexOf(other) > names.indexOf(name))).toEqual([])
  }
})

function folderWith(manifests: Readonly<Record<string, object>>): string {
  const folder = scratchFolder()
  for (const [name, fields] of Object.entries(manifests)) {
    mkdirSync(join(folder, 'packages', name), { recursive: true })
    const manifest = JSON.stringify({ name, version: '1.0.0', ...fields })
    writeFileSync(join(folder, 'packages', name, 'package.json'), manifest)
  }
  return folder
}

test('packages that ask for each other are refused by name', () => {
  const folder = folderWith({ a: { dependencies: { b: '1' } }, b: { peerDependencies: { a: '1' } } })
  expect(() => publicPackages(folder)).toThrow('These depend on each other: a, b.')
})

test('a patch of an adapter that asks for a new core breaks the applications that have the old one', () => {
  const peerDependencies = { '@steploop/core': 'workspace:^' }
  const release = (core: string, adapter: string) => [
    { name: '@steploop/core', version: core, peerDependencies: {} },
    { name: '@steploop/openai', version: adapter, peerDependencies },
    { name: '@steploop/cassette', version: '0.1.0', peerDependencies: {} },
  ]
  const first = release('0.1.0', '0.1.0')
  expect(brokenApplications(first, release('0.2.0', '0.1.1'))).toEqual([
    '@steploop/openai@0.1.1 asks for core 0.2.0, and applications with ^0.1.0 of it have ^0.1.0',
  ])
  expect(brokenApplications(first, release('0.2.0', '0.1.0'))).toHaveLength(1)
  expect(brokenApplications(first, release('0.2.0', '0.2.0'))).toEqual([])
  expect(brokenApplications(first, release('0.1.1', '0.1.1'))).toEqual([])
  expect(brokenApplications(release('1.0.0', '1.0.0'), release('2.0.0', '1.1.0'))).toHaveLength(1)
  expect(brokenApplications(release('1.0.0', '1.0.0'), release('1.1.0', '1.1.0'))).toEqual([])
})

function packed(fields: object = {}) {
  const manifest = {
    name: '@x/a',
    version: '1.0.0',
    private: false,
    dependencies: {},
    peerDependencies: {},
    folder: 'a',
  }
  return [{ manifest: { ...manifest, ...fields }, tarball: join(repository, 'none.tgz'), bytes: 1, sha256: '' }]
}

test('provenance is asked for only where the package names its repository', async () => {
  const options = { registry: 'http://127.0.0.1:9/', provenance: true }
  await expect(publishPackages(packed(), options)).rejects.toThrow('No repository: @x/a. npm proves provenance')
})

async function withRegistry(status: number, use: (registry: string) => Promise<void>): Promise<readonly string[]> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status).end('{}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await new Promise((resolve) => void server.close(resolve))
  return asked
}

test('what the registry has already is left alone', async () => {
  const asked = await withRegistry(200, async (registry) => {
    expect(await publishPackages(packed(), { registry, provenance: false })).toEqual({
      published: [],
      skipped: ['@x/a@1.0.0'],
    })
  })
  expect(asked).toEqual(['GET /@x%2fa/1.0.0'])
})

test('a registry that cannot say what it has stops the release', async () => {
  await withRegistry(503, async (registry) => {
    await expect(publishPackages(packed(), { registry, provenance: false })).rejects.toThrow('answers 503')
  })
})

test('private packages are none of those that are published', () => {
  const folder = folderWith({ a: {}, b: { private: true } })
  expect(publicPackages(folder).map(({ name, folder: path }) => [name, path])).toEqual([['a', 'packages/a']])
})
