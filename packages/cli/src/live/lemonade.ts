import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveError } from './live-error.ts'
import { freePort, type LlamaProgram } from './llama-server.ts'
import { unpackedPackage, unpackedProgram, type UnpackedProgram } from './packages.ts'
import type { PlayingServer, ServerKind } from './record-local.ts'

/**
 * Lemonade Server of Debian, unpacked beside llama-server, which it starts by itself: the one server here that speaks Ollama's native format.
 *
 * @throws {NoServer} where the package cannot be had
 */
export async function lemonadeKind(
  llama: LlamaProgram,
  cache: string,
  say: (line: string) => void,
): Promise<ServerKind> {
  const root = await unpackedPackage('lemonade-server', cache, say)
  const program = unpackedProgram(root, 'lemond')
  const said = spawnSync(program.command, [...program.leading, '--version']).stdout.toString()
  const version = /version ([\w.-]+)/.exec(said)?.[1]
  if (version === undefined) throw liveError(`lemond does not say its version: ${said.trim()}.`, `Remove ${root}.`)
  return {
    version: `Lemonade ${version} with ${llama.version}`,
    wires: ['ollama-chat'],
    start: (weights, apiKey) => start({ root, program, llama }, weights, apiKey),
  }
}

interface Programs {
  readonly root: string
  readonly program: UnpackedProgram
  readonly llama: LlamaProgram
}

async function start(programs: Programs, weights: Uint8Array, apiKey: string | undefined): Promise<PlayingServer> {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-lemonade-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  furnish(folder, programs, weights)
  const { program } = programs
  const own = ['--port', String(port), '--host', '127.0.0.1', '--no-broadcast', '--log-file', 'disabled']
  const child = spawn(program.command, [...program.leading, ...own, join(folder, 'cache'), join(folder, 'config')], {
    cwd: folder,
    // A group of its own, so that the llama-server that it starts ends with it.
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      LEMONADE_DEFAULTS_PATH: join(programs.root, 'usr/share/lemonade/defaults.json'),
      LEMONADE_DISABLE_SYSTEMD_JOURNAL: '1',
      ...(apiKey !== undefined && { LEMONADE_API_KEY: apiKey }),
    },
  })
  const gone = once(child, 'exit').catch(() => undefined)
  const endGroup = (): void => killGroup(child)
  process.once('exit', endGroup)
  const kill = async (): Promise<void> => {
    endGroup()
    await gone
    process.off('exit', endGroup)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  for (let attempt = 0; attempt < 600 && child.exitCode === null; attempt++) {
    if (await answers(`${url}/live`)) return { url, kill }
    await sleep(25)
  }
  await kill()
  throw liveError('lemond did not come up.', 'Run it by hand to see why.')
}

/** Its resources where it looks for them, a llama-server on its path, and the weights as the model `local`. */
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

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await response.body?.cancel()
    return response.status < 500
  } catch {
    return false
  }
}
