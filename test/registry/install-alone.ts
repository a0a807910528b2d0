import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PrivateRegistry } from './private-registry.ts'
import { runProgram } from './run-program.ts'

interface Installed {
  readonly names: readonly string[]
  readonly bytes: number
}

const adapter = '@steploop/openai'
const most = { packages: 2, bytes: 1_000_000 }

/** What an application installs: core and one adapter. Gives what is wrong, a line each, and a line to print. */
export async function installAlone(
  folder: string,
  { env }: PrivateRegistry,
): Promise<{ readonly findings: readonly string[]; readonly summary: string }> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  await runProgram('npm', ['install', '@steploop/core', adapter], { cwd: folder, env })
  const { names, bytes } = installed(folder)
  const expected = ['@steploop/core', adapter]
  const findings: string[] = []
  if (names.join() !== expected.join())
    findings.push(`installed: ${names.join(', ')}; expected: ${expected.join(', ')}`)
  if (names.length > most.packages) findings.push(`${names.length} packages, more than ${most.packages}`)
  if (bytes >= most.bytes) findings.push(`${bytes} bytes, not below ${most.bytes}`)
  await runProgram(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder, env })
  return { findings, summary: `${names.join(', ')}: ${names.length} packages, ${Math.round(bytes / 1000)} kB` }
}

/** A turn through both, without a network. */
const program = `
  import { StepLoop } from '@steploop/core'
  import { createOpenAI } from '${adapter}'
  const content = [{ type: 'output_text', text: 'Grüezi', annotations: [] }]
  const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]
  const fetch = async () => Response.json({ id: 'resp_1', object: 'response', status: 'completed', model: 'm', output })
  const { text } = await new StepLoop({ model: createOpenAI({ apiKey: 'none', fetch })('m') }).generate('Hoi')
  if (text !== 'Grüezi') throw new Error(text)
`

function installed(folder: string): Installed {
  // npm's own record of what it has put into node_modules.
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  const names = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''))
  const files = readdirSync(join(folder, 'node_modules'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== '.package-lock.json')
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
  return { names: names.toSorted(), bytes: files.reduce((sum, size) => sum + size, 0) }
}

type Ranges = Readonly<Record<string, string>>

interface PublishedManifest {
  readonly dependencies?: Ranges
  readonly peerDependencies?: Ranges
  readonly devDependencies?: Ranges
}

interface ReleasedPackage {
  readonly name: string
  readonly version: string
}

/** What the registry says of each package: no range that only this workspace understands, and core as a peer of the adapters. */
export async function publishedRanges(
  released: readonly ReleasedPackage[],
  { url }: PrivateRegistry,
): Promise<readonly string[]> {
  const versions = new Map(released.map(({ name, version }) => [name, version]))
  const findings = await Promise.all(
    released.map(async ({ name, version }) => {
      const response = await fetch(`${url}${name.replace('/', '%2f')}/${version}`)
      if (!response.ok) return [`${name}@${version} is not there: ${response.status}`]
      return judgeManifest(name, (await response.json()) as PublishedManifest, versions)
    }),
  )
  return findings.flat()
}

function judgeManifest(name: string, manifest: PublishedManifest, versions: ReadonlyMap<string, string>): string[] {
  const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = manifest
  const all = Object.entries({ ...devDependencies, ...dependencies, ...peerDependencies })
  const findings = all.flatMap(([other, range]) => {
    if (/^(workspace|catalog|link|file):|^\*?$/.test(range)) return [`${name} asks for ${other} '${range}'`]
    const own = versions.get(other)
    return own === undefined || range === `^${own}` ? [] : [`${name} asks for ${other} '${range}', which is at ${own}`]
  })
  const withoutPeer = ['@steploop/core', '@steploop/cassette', 'create-steploop-adapter']
  if (withoutPeer.includes(name)) return findings
  if (peerDependencies['@steploop/core'] === undefined) findings.push(`${name} does not have core as a peer`)
  if (dependencies['@steploop/core'] !== undefined) findings.push(`${name} brings a core of its own`)
  return findings
}
