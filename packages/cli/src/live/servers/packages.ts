import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NoServer } from './live-error.ts'

const run = promisify(execFile)

/** Debian's packages of the servers, from its rolling release. */
export type PackageName = 'llama.cpp-tools' | 'lemonade-server'

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
const elsewhere = 'Set LLAMA_SERVER=/path/to/llama-server to use one of yours.'

/** Where unpacked packages lie: `$XDG_CACHE_HOME/steploop/live`, or below `~/.cache`. */
export function defaultCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'steploop', 'live')
}

/**
 * Downloads a package of Debian sid with all that it depends on, down to the C library, and unpacks it into the cache folder. Nothing is
 * installed into the system, and nothing half-done stays: the folder gets its name when it is whole.
 *
 * @returns the folder that stands for `/`
 * @throws {NoServer} where there is no apt, no network, or no such package any more
 */
export async function unpackedPackage(name: PackageName, cache: string, say: (line: string) => void): Promise<string> {
  const root = join(cache, name)
  if (existsSync(root)) return root
  if (!existsSync(keyring)) throw new NoServer(`This is no Debian: there is no ${keyring}. ${elsewhere}`)
  const work = join(cache, `${name}.${process.pid}.partial`)
  try {
    say(`unpacking Debian's ${name} into ${root}; nothing is installed`)
    await download(name, work)
    for (const file of readdirSync(join(work, 'archives')).filter((one) => one.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(work, 'archives', file), join(work, 'root')])
    }
    renameSync(join(work, 'root'), root)
    return root
  } catch (error) {
    throw new NoServer(`Debian's ${name} cannot be had: ${saidBy(error)}. ${elsewhere}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** With lists, an archive and a status of its own, apt neither reads nor changes those of the system. */
async function download(name: PackageName, work: string): Promise<void> {
  for (const folder of ['lists/partial', 'archives/partial', 'root']) mkdirSync(join(work, folder), { recursive: true })
  const sources = join(work, 'sources.list')
  writeFileSync(sources, `deb [signed-by=${keyring}] ${await mirror()} sid main\n`)
  const own = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(work, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache::archives': join(work, 'archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': '',
    'Debug::NoLocking': 'true',
  }
  const options = Object.entries(own).flatMap(([key, value]) => ['-o', `${key}=${value}`])
  await run('apt-get', [...options, '-qq', 'update'])
  await run('apt-get', [...options, '-qq', '-y', '--download-only', 'install', name], { maxBuffer: 2 ** 24 })
}

/** The one that this machine uses, as it may have no other. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Identifier: Packages'])
  const known = stdout.split('\n').find((line) => line.endsWith('/debian/'))
  return known ?? 'http://deb.debian.org/debian/'
}

function saidBy(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const said = stderr.split('\n').find((line) => /^(?:E|W|dpkg-deb: error):/.test(line))
  return (said ?? (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))).trim()
}

/** How a program of an unpacked package is started: by its own loader, with its own libraries. */
export interface UnpackedProgram {
  readonly command: string
  readonly leading: readonly string[]
  readonly folder: string
}

export function unpackedProgram(root: string, program: string): UnpackedProgram {
  const libraries = join(root, 'usr/lib')
  const triple = readdirSync(libraries).find((name) => name.endsWith('-linux-gnu')) ?? 'x86_64-linux-gnu'
  const own = join(libraries, triple)
  const loader = readdirSync(own).find((name) => name.startsWith('ld-linux'))
  if (loader === undefined) throw new NoServer(`${own} holds no loader of programs. Remove ${root} and set up again.`)
  const paths = ['', 'llama', 'systemd'].map((name) => join(own, name)).join(':')
  const backends = readdirSync(own).includes('ggml') ? join(own, 'ggml') : own
  const folder = readdirSync(backends).find((name) => name.startsWith('backends'))
  return {
    command: join(own, loader),
    leading: ['--library-path', paths, join(root, 'usr/bin', program)],
    // ggml looks for its CPU backends in the working directory.
    folder: folder === undefined ? root : join(backends, folder),
  }
}
