import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithThis } from '../end-with-this.ts'
import { liveError } from './live-error.ts'
import { unpackedPackage, unpackedProgram, type UnpackedProgram } from './packages.ts'

/** A `llama-server` on this machine, and how it is started. */
export interface LlamaProgram extends UnpackedProgram {
  /** As cassettes name it: `llama-server 0.7.0 (build 11669)`. */
  readonly version: string
}

/**
 * The one that LLAMA_SERVER names, or Debian's, unpacked into the cache.
 *
 * @throws {NoServer} where Debian's cannot be had
 * @throws {HarnessError} `usage` when LLAMA_SERVER names none
 */
export async function findLlamaServer(cache: string, say: (line: string) => void): Promise<LlamaProgram> {
  const given = process.env['LLAMA_SERVER']
  const program =
    given === undefined
      ? unpackedProgram(await unpackedPackage('llama.cpp-tools', cache, say), 'llama-server')
      : { command: given, leading: [], folder: '.' }
  if (given !== undefined && !existsSync(given)) {
    throw liveError(`LLAMA_SERVER names ${given}, which does not exist.`, 'Give the path of a llama-server.')
  }
  return { ...program, version: versionOf(program) }
}

function versionOf({ command, leading, folder }: UnpackedProgram): string {
  const { stdout, stderr, error } = spawnSync(command, [...leading, '--version'], { cwd: folder, timeout: 20_000 })
  const said = `${String(stdout)}${String(stderr)}`
  const [, version, build] = /version: ([\w.-]+)(?: \(build (\d+))?/.exec(said) ?? []
  if (version !== undefined) return `llama-server ${version}${build === undefined ? '' : ` (build ${build})`}`
  const why = error?.message ?? said.split('\n').find((line) => line.trim() !== '') ?? 'it said nothing'
  throw liveError(
    `${leading.at(-1) ?? command} does not say its version: ${why}.`,
    'Is it a llama-server of 2025 or newer?',
  )
}

export interface ServerOptions {
  readonly program: LlamaProgram
  /** Bytes of a GGUF file. */
  readonly weights: Uint8Array
  /** Answers at the same time. Default 2. */
  readonly slots?: number | undefined
  readonly apiKey?: string | undefined
  /** The port of one that was ended, so that its address holds. Default: a free one. */
  readonly port?: number | undefined
}

export interface RunningServer {
  /** Without `/v1`. */
  readonly url: string
  readonly port: number
  /** As a crash does it. Resolves when the process is gone. */
  readonly kill: () => Promise<void>
}

/** Milliseconds that loading the weights may take. */
const longestStart = 30_000

/**
 * Starts a server on loopback, and waits until it can answer.
 *
 * @throws {HarnessError} `usage` when it ends or hangs before that, with the last thing that it said
 */
export async function startLlamaServer(options: ServerOptions): Promise<RunningServer> {
  const server = await launch(options)
  await waitUntilHealthy(server, longestStart)
  return server
}

interface Launched extends RunningServer {
  readonly log: readonly string[]
  readonly child: ChildProcess
}

/** Starts a server without waiting for it. */
export async function launch(options: ServerOptions): Promise<Launched> {
  const { program, weights } = options
  const port = options.port ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'steploop-live-'))
  const model = join(folder, 'model.gguf')
  try {
    writeFileSync(model, weights)
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw liveError(`The weights cannot be written to ${folder}: ${String(cause)}.`, 'Make room there, or set TMPDIR.')
  }
  const child = spawn(program.command, [...program.leading, ...flagsOf(options, model, port)], {
    cwd: program.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithThis(child)
  const log: string[] = []
  const keep = (data: Buffer): void =>
    void log.splice(0, Math.max(0, log.push(...data.toString().split('\n').filter(Boolean)) - 20))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const gone = once(child, 'close').then(
    () => undefined,
    (error: unknown) => void log.push(String(error)),
  )
  void gone.finally(() => rmSync(folder, { recursive: true, force: true }))
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    child,
    async kill() {
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function flagsOf({ slots = 2, apiKey }: ServerOptions, model: string, port: number): readonly string[] {
  const context = String(slots * 16_384)
  const words = `--host 127.0.0.1 --port ${port} -np ${slots} -c ${context} -n 4000 -t 1 -tb 1 --alias local`.split(' ')
  const key = apiKey === undefined ? [] : ['--api-key', apiKey]
  return ['-m', model, ...words, '--jinja', '--offline', '--no-warmup', '--slots', ...key]
}

async function waitUntilHealthy(server: Launched, longest: number): Promise<void> {
  const { child, url, log } = server
  const deadline = performance.now() + longest
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    if (await isHealthy(url)) return
    await sleep(15)
  }
  const ended = child.exitCode ?? child.signalCode
  await server.kill()
  const what = ended === null ? `was not ready after ${longest / 1000} s` : `ended at its start (${ended})`
  throw liveError(`llama-server ${what}: ${log.at(-1) ?? 'it said nothing'}.`, 'Run it by hand to see why.')
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
