import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '@steploop/core/adapter'
import { liveError } from './live-error.ts'
import type { LlamaProgram } from './llama-server.ts'
import { unpackedPackage, unpackedProgram, type UnpackedProgram } from './packages.ts'
import type { LaunchOptions, RunningServer, ServerKind } from './server-kind.ts'
import { freePort, startProcess } from './server-process.ts'

/**
 * Lemonade Server of Debian, unpacked beside llama-server, which it starts by itself: the one server here that speaks Ollama's native format.
 *
 * @throws {NoServer} where the package cannot be had
 */
export async function lemonadeKind(
  llama: LlamaProgram,
  cache: string,
  say: (line: string) => void,
  patience: number,
): Promise<ServerKind> {
  const root = await unpackedPackage('lemonade-server', cache, say)
  const program = unpackedProgram(root, 'lemond')
  const said = spawnSync(program.command, [...program.leading, '--version']).stdout.toString()
  const version = /version ([\w.-]+)/.exec(said)?.[1]
  if (version === undefined) throw liveError(`lemond does not say its version: ${said.trim()}.`, `Remove ${root}.`)
  return {
    name: 'Lemonade',
    version: `Lemonade ${version} with ${llama.version}`,
    wires: ['ollama-chat'],
    alsoSpeaks: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    launch: (options) => launch({ root, program, llama }, patience, options),
  }
}

interface Programs {
  readonly root: string
  readonly program: UnpackedProgram
  readonly llama: LlamaProgram
}

async function launch(programs: Programs, patience: number, options: LaunchOptions): Promise<RunningServer> {
  const port = options.port ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'steploop-lemonade-'))
  try {
    furnish(folder, programs, options.weights)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const { program } = programs
  const own = ['--port', String(port), '--host', '127.0.0.1', '--no-broadcast', '--log-file', 'disabled']
  const server = startProcess({
    name: 'lemond',
    command: program.command,
    args: [...program.leading, ...own, join(folder, 'cache'), join(folder, 'config')],
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      LEMONADE_DEFAULTS_PATH: join(programs.root, 'usr/share/lemonade/defaults.json'),
      LEMONADE_DISABLE_SYSTEMD_JOURNAL: '1',
      ...(options.apiKey !== undefined && { LEMONADE_API_KEY: options.apiKey }),
    },
    port,
    health: '/live',
    folder,
    patience,
    fix: `Remove ${programs.root}, and it is unpacked anew.`,
  })
  return {
    ...server,
    async isBusy() {
      const health: unknown = await (await fetch(`${server.url}/api/v1/health`)).json()
      const loaded = isObject(health) && Array.isArray(health['all_models_loaded']) ? health['all_models_loaded'] : []
      return loaded.some((model) => isObject(model) && (model['is_busy'] === true || model['is_streaming'] === true))
    },
  }
}

/** Puts its resources where it looks for them, a llama-server on its path, and the weights as the model `local`. */
function furnish(folder: string, { root, llama }: Programs, weights: Uint8Array): void {
  for (const name of ['.local/share', 'bin', 'cache', 'config', 'models/local'])
    mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(join(root, 'usr/share/lemonade-server'), join(folder, '.local/share/lemonade-server'))
  const words = [llama.command, ...llama.leading].map((word) => `'${word}'`).join(' ')
  const script = join(folder, 'bin/llama-server')
  writeFileSync(script, `#!/bin/sh\ncd '${llama.folder}' && exec ${words} "$@"\n`)
  chmodSync(script, 0o755)
  writeFileSync(join(folder, 'models/local/model.gguf'), weights)
  const llamacpp = { args: '-t 1 -tb 1 --no-warmup -n 4000', prefer_system: true }
  const config = {
    extra_models_dir: join(folder, 'models'),
    offline: true,
    no_fetch_executables: true,
    ctx_size: 32_768,
    llamacpp,
  }
  writeFileSync(join(folder, 'config/config.json'), JSON.stringify(config))
}
