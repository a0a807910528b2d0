import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { once } from 'node:events'

export interface PrivateRegistry {
  readonly url: string
  /** Environment in which npm and pnpm know this registry and no other configuration of the user. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly close: () => Promise<void>
}

export interface RegistryOptions {
  /** Storage and configuration go in here. */
  readonly folder: string
  /** Where packages of others come from. */
  readonly uplink: string
  /** npm's cache, so that packages of others are fetched once and not at each run. */
  readonly cache: string
}

/** Starts verdaccio on a free port of the loopback interface. Our own packages are never asked for elsewhere. */
export async function startRegistry({ folder, uplink, cache }: RegistryOptions): Promise<PrivateRegistry> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const config = join(folder, 'verdaccio.yaml')
  writeFileSync(config, configuration(folder, uplink))
  // What `npm create` ran the last time has the same name and version as what it is to run now.
  rmSync(join(cache, '_npx'), { recursive: true, force: true })
  const npmrc = join(folder, 'npmrc')
  // Whoever is not known may publish, but npm does not even try without a token.
  const token = `//127.0.0.1:${port}/:_authToken=anyone`
  writeFileSync(npmrc, `registry=${url}\n${token}\nfund=false\naudit=false\nupdate-notifier=false\ncache=${cache}\n`)
  const child = spawn(process.execPath, [verdaccioProgram(), '--config', config, '--listen', `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await answering(child, url)
  return { url, env: environment(npmrc, url), close: () => closed(child) }
}

function verdaccioProgram(): string {
  const manifest = createRequire(import.meta.url).resolve('verdaccio/package.json')
  return join(dirname(manifest), 'bin/verdaccio')
}

function configuration(folder: string, uplink: string): string {
  const own = { access: '$all', publish: '$all', unpublish: '$all' }
  const settings = {
    storage: join(folder, 'storage'),
    web: { enable: false },
    auth: {},
    uplinks: { others: { url: uplink, cache: false, timeout: '60s' } },
    packages: {
      '@steploop/*': own,
      steploop: own,
      'create-steploop-adapter': own,
      '**': { access: '$all', publish: [], proxy: 'others' },
    },
    server: { keepAliveTimeout: 60 },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  }
  // JSON is YAML.
  return JSON.stringify(settings, undefined, 2)
}

/** The user's own settings and those of a package manager around us would win over the file. */
function environment(npmrc: string, registry: string): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|NODE_OPTIONS$|INIT_CWD$|CI$)/i.test(name))
  return { ...Object.fromEntries(kept), npm_config_userconfig: npmrc, npm_config_registry: registry, NO_COLOR: '1' }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the loopback interface gave no port')
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  let said = ''
  child.stdout?.on('data', (data: Buffer) => (said += data.toString()))
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()))
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    const response = await fetch(`${url}-/ping`).catch(() => undefined)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill()
  throw new Error(`the registry at ${url} does not answer:\n${said}`)
}

async function closed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill()
  await once(child, 'exit')
}
