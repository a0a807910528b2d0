import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveError } from './live-error.ts'
import type { RunningServer } from './server-kind.ts'

export interface ServerCommand {
  /** For people. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Port where it listens, on 127.0.0.1. */
  readonly port: number
  /** A path that answers with less than 400 when the server can answer. */
  readonly health: string
  /** Folder that is removed with the process. */
  readonly folder?: string | undefined
  /** Milliseconds until it has to be ready. */
  readonly patience: number
  /** What to do when it is not. */
  readonly fix: string
}

/** Starts a server in a process group of its own, so that what it starts itself ends with it, and with this process. */
export function startProcess(server: ServerCommand): Omit<RunningServer, 'isBusy'> {
  const { command, args, cwd, env = process.env, port, folder } = server
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const log: string[] = []
  const keep = (data: Buffer): void =>
    void log.splice(0, Math.max(0, log.push(...data.toString().split('\n').filter(Boolean)) - 20))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  watch(child, folder)
  const gone = once(child, 'close').then(
    () => undefined,
    (error: unknown) => void log.push(String(error)),
  )
  void gone.finally(() => {
    unwatch(child)
    removeFolder(folder)
  })
  const kill = async (): Promise<void> => {
    killGroup(child)
    await gone
    removeFolder(folder)
  }
  const url = `http://127.0.0.1:${port}`
  const ready = async (): Promise<void> => {
    const deadline = performance.now() + server.patience
    while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
      if (await isHealthy(url + server.health)) return
      await sleep(15)
    }
    const ended = child.exitCode ?? child.signalCode
    await kill()
    const what = ended === null ? `was not ready after ${server.patience / 1000} s` : `ended at its start (${ended})`
    // The first complaint is the cause, the last line a farewell.
    const said = log.find((line) => /error|fail|invalid|corrupt|cannot/i.test(line)) ?? log.at(-1) ?? 'it said nothing'
    throw liveError(`${server.name} ${what}: ${said.trim().replace(/\.$/, '')}.`, server.fix)
  }
  return { url, port, ready, kill }
}

const running = new Map<ChildProcess, string | undefined>()

/** A group of its own hears no Ctrl-C, and a signal that ends this process emits no `exit`. */
function watch(child: ChildProcess, folder: string | undefined): void {
  if (running.size === 0) {
    process.on('exit', killAll)
    for (const signal of signals) process.on(signal, onSignal)
  }
  running.set(child, folder)
}

function unwatch(child: ChildProcess): void {
  if (!running.delete(child) || running.size > 0) return
  process.off('exit', killAll)
  for (const signal of signals) process.off(signal, onSignal)
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let wasAsked = false

/** The first Ctrl-C is the command's own: it ends what it is at. Without a listener, the signal does what it does. */
function onSignal(signal: NodeJS.Signals): void {
  if (signal === 'SIGINT' && !wasAsked) {
    wasAsked = true
    return
  }
  killAll()
  process.off(signal, onSignal)
  process.kill(process.pid, signal)
}

function killAll(): void {
  for (const [child, folder] of running) {
    killGroup(child)
    removeFolder(folder)
  }
}

function removeFolder(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await response.body?.cancel()
    return response.status < 400
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
