import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NoServer } from '../servers/live-error.ts'
import { freePort, startProcess } from '../servers/server-process.ts'
import type { RunningServer } from '../servers/server-kind.ts'

const run = promisify(execFile)

/** What stands between an adapter and a server, and passes on or translates what it gets. */
export interface Gateway {
  /** `@portkey-ai/gateway 1.15.2`. */
  readonly version: string
  /** Starts it on loopback, before the server at `upstream`, a URL without a path. */
  readonly launch: (upstream: string) => Promise<Omit<RunningServer, 'isBusy'>>
}

const portkey = { name: '@portkey-ai/gateway', version: '1.15.2' } as const
const llms = { name: '@musistudio/llms', version: '1.0.53' } as const

/**
 * Two gateways of npm, installed into the cache folder: Portkey, and the translator of claude-code-router. Their scripts are not run.
 *
 * @throws {NoServer} where npm cannot have them
 */
export async function findGateways(
  cache: string,
  say: (line: string) => void,
  patience: number,
): Promise<{ readonly portkey: Gateway; readonly llms: Gateway }> {
  const folder = await installed(cache, say)
  const command = {
    command: process.execPath,
    cwd: folder,
    health: '/',
    patience,
    fix: `Remove ${folder}, and it is installed anew.`,
  } as const
  return {
    portkey: {
      version: `${portkey.name} ${portkey.version}`,
      async launch() {
        const port = await freePort()
        const main = join(folder, 'node_modules', portkey.name, 'build/start-server.js')
        const args = ['--import', asModule(onLoopback), main, '--headless', `--port=${port}`]
        const env = { ...process.env, TRUSTED_CUSTOM_HOSTS: '127.0.0.1', NODE_ENV: 'production' }
        return startProcess({ ...command, name: portkey.name, args, env, port })
      },
    },
    llms: {
      version: `${llms.name} ${llms.version}`,
      async launch(upstream) {
        const port = await freePort()
        const providers = [
          { name: 'llama', api_base_url: `${upstream}/v1/chat/completions`, api_key: 'none', models: ['local'] },
        ]
        const options = JSON.stringify({
          logger: false,
          initialConfig: { providers, HOST: '127.0.0.1', PORT: port },
        })
        return startProcess({ ...command, name: llms.name, args: ['--eval', startsLlms, options], port })
      },
    },
  }
}

/** Listens on 127.0.0.1 instead of everywhere; and Portkey writes into headers of responses, which `fetch` makes immutable. */
const onLoopback = `
import { Server } from 'node:net'
const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, rest.find((one) => typeof one === 'function'))
}
const real = globalThis.fetch
globalThis.fetch = async (...given) => {
  const { body, status, statusText, headers } = await real(...given)
  return new Response(body, { status, statusText, headers: new Headers(headers) })
}
`

const startsLlms = `
const loaded = require('@musistudio/llms')
new (loaded.default ?? loaded)(JSON.parse(process.argv[1])).start()
`

function asModule(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}

/** The folder gets its name when it is whole. */
async function installed(cache: string, say: (line: string) => void): Promise<string> {
  const folder = join(cache, `gateways-${portkey.version}-${llms.version}`)
  if (existsSync(folder)) return folder
  const work = join(cache, `gateways.${process.pid}.partial`)
  try {
    say(`installing ${portkey.name} and ${llms.name} into ${folder}`)
    mkdirSync(work, { recursive: true })
    const dependencies = { [portkey.name]: portkey.version, [llms.name]: llms.version }
    writeFileSync(join(work, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], { cwd: work })
    renameSync(work, folder)
    return folder
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    const said = stderr.split('\n').find((line) => line.trim() !== '') ?? 'npm said nothing'
    throw new NoServer(`The gateways cannot be had from npm: ${said.trim()}.`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
