import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '@steploop/core/adapter'
import { liveError } from './live-error.ts'
import { unpackedPackage, unpackedProgram, type UnpackedProgram } from './packages.ts'
import type { LaunchOptions, RunningServer, ServerKind } from './server-kind.ts'
import { freePort, startProcess } from './server-process.ts'

/** A `llama-server` on this machine, and how it is started. */
export interface LlamaProgram extends UnpackedProgram {
  /** Version as cassettes name it: `llama-server 0.7.0 (build 11669)`. */
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

/** What llama-server speaks. It starts in a tenth of a second, so each play gets one of its own. `patience` is in milliseconds. */
export function llamaKind(program: LlamaProgram, patience: number): ServerKind {
  return {
    name: 'llama-server',
    version: program.version,
    wires: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    alsoSpeaks: [],
    launch: (options) => launch(program, patience, options),
  }
}

async function launch(program: LlamaProgram, patience: number, options: LaunchOptions): Promise<RunningServer> {
  const port = options.port ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'steploop-live-'))
  const model = join(folder, 'model.gguf')
  try {
    writeFileSync(model, options.weights)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const server = startProcess({
    name: 'llama-server',
    command: program.command,
    args: [...program.leading, ...flagsOf(model, port, options.apiKey)],
    cwd: program.folder,
    port,
    health: '/health',
    folder,
    patience,
    fix: 'Name another one with LLAMA_SERVER=/path/to/llama-server.',
  })
  return {
    ...server,
    async isBusy() {
      const slots: unknown = await (await fetch(`${server.url}/slots`)).json()
      return Array.isArray(slots) && slots.some((slot) => isObject(slot) && slot['is_processing'] === true)
    },
  }
}

const slots = 2

function flagsOf(model: string, port: number, apiKey: string | undefined): readonly string[] {
  const context = String(slots * 16_384)
  const words = `--host 127.0.0.1 --port ${port} -np ${slots} -c ${context} -n 4000 -t 1 -tb 1 --alias local`.split(' ')
  const key = apiKey === undefined ? [] : ['--api-key', apiKey]
  return ['-m', model, ...words, '--jinja', '--offline', '--no-warmup', '--slots', ...key]
}
