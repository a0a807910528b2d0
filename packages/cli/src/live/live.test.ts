import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { root, runSteploop, scratchFolder } from '../testing.ts'
import { registerLive } from './live.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** Shared, though each command has a temporary folder of its own: with an empty one a start takes twice the time. */
const compileCache = join(tmpdir(), 'node-compile-cache')

/** `steploop live` in this process, with a temporary folder of its own; what is left in there was not tidied up. */
async function live(words: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const temporary = scratchFolder()
  for (const [name, value] of Object.entries({ TMPDIR: temporary, ...env })) vi.stubEnv(name, value)
  const { status, out, err } = await runSteploop([registerLive], ['live', ...words], root)
  vi.unstubAllEnvs()
  return { status, stdout: out, stderr: err, left: readdirSync(temporary) }
}

/** The same in a process of its own. */
async function spawnLive(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  shell = 'exec "$@"',
  onStart?: (child: ChildProcess) => void,
) {
  const temporary = scratchFolder()
  const main = join(root, 'packages/cli/src/main.ts')
  const node = [process.execPath, '--conditions=@steploop/source', main, 'live', ...words]
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...node], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, TMPDIR: temporary, ...env },
  })
  onStart?.(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (data: Buffer) => void (said.stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => void (said.stderr += data.toString()))
  await once(child, 'close')
  return {
    ...said,
    status: child.exitCode,
    left: readdirSync(temporary),
  }
}

async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** A program that says that it is a llama-server, and then does this. */
function fakeServer(does: string): string {
  const file = join(scratchFolder(), 'llama-server')
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo 'version: 9.9.9 (build 1)'; exit 0; fi\n${does}\n`)
  chmodSync(file, 0o755)
  return file
}

const usage = 2

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('where no server can be had it is skipped, which is said', async () => {
  const outcome = await live(['--cache', scratchFolder()], { PATH: '/nowhere', LLAMA_SERVER: undefined })
  expect(outcome).toMatchObject({ status: 0, left: [] })
  expect(outcome.stdout).toMatch(/^skipped: .*LLAMA_SERVER=/)
})

test.each([
  ['that is not there', '/nowhere/llama-server', /does not exist/],
  ['that is no llama-server', '/bin/true', /does not say its version/],
])('a LLAMA_SERVER %s is reported in one line', async (_what, path, said) => {
  const outcome = await live(['record', '--scenario', 'single-call'], { LLAMA_SERVER: path })
  expect(outcome).toMatchObject({ status: usage, stdout: '', left: [] })
  expect(outcome.stderr).toMatch(said)
})

test('a server that dies at its start is reported with its last words, and nothing stays', async () => {
  const fake = fakeServer('echo "error: tensor data is not within the file bounds" >&2; exit 1')
  const outcome = await live(['record', '--scenario', 'single-call', '--only', 'llama-chat'], { LLAMA_SERVER: fake })
  expect(outcome).toMatchObject({ status: usage, left: [] })
  expect(outcome.stderr).toContain('ended at its start (1): error: tensor data is not within the file bounds')
})

test('a server that hangs at its start is ended, and what it waits for is said', async () => {
  const note = join(scratchFolder(), 'pid')
  const fake = fakeServer(`echo $$ > ${note}; echo 'loading the weights'; sleep 600`)
  const words = ['record', '--only', 'llama-chat', '--scenario', 'single-call', '--patience', '1']
  const outcome = await live(words, { LLAMA_SERVER: fake })
  expect(outcome).toMatchObject({ status: usage, left: [] })
  expect(outcome.stderr).toContain('llama-server was not ready after 1 s: loading the weights.')
  await vi.waitFor(() => expect(isAlive(Number(readFileSync(note, 'utf8')))).toBe(false), 10_000)
})

test('a signal that ends the command ends its servers, and their files go', async () => {
  const note = join(scratchFolder(), 'pid')
  const fake = fakeServer(`echo $$ > ${note}; sleep 600`)
  const outcome = await spawnLive(['faults', '--only', 'llama-chat'], { LLAMA_SERVER: fake }, undefined, (child) => {
    const timer = setInterval(() => void (existsSync(note) && child.kill('SIGTERM')), 50)
    onTestFinished(() => clearInterval(timer))
  })
  expect(outcome).toMatchObject({ status: 143, left: [] })
  await vi.waitFor(() => expect(isAlive(Number(readFileSync(note, 'utf8')))).toBe(false), 10_000)
})

test('a disk that takes no weights is reported in one line, and nothing half-written stays', async () => {
  const env = { LLAMA_SERVER: fakeServer('sleep 600') }
  const words = ['record', '--only', 'llama-chat', '--scenario', 'single-call']
  // Files of at most 32 kB: weights have some megabytes.
  const outcome = await spawnLive(words, env, 'ulimit -f 64 && exec "$@"')
  expect(outcome).toMatchObject({ status: usage, left: [] })
  expect(outcome.stderr).toMatch(/^steploop: EFBIG: .*Make room on that disk/m)
})

test.each([
  ['is gone', "echo 'E: Unable to locate package llama.cpp-tools' >&2; exit 100", /Unable to locate package/],
  ['moved', "echo 'E: The repository sid has no Release file.' >&2; exit 100", /has no Release file/],
  [
    'gives half of it',
    'for o; do case $o in Dir::Cache::archives=*) echo half > "${o#*=}/x.deb";; esac; done',
    /dpkg-deb/,
  ],
])('a package that %s is no failure: it is said, and nothing half-unpacked stays', async (_what, does, said) => {
  const [bin, cache] = [scratchFolder(), scratchFolder()]
  writeFileSync(join(bin, 'apt-get'), `#!/bin/sh\n[ "$1" = indextargets ] && exit 0\n${does}\n`)
  chmodSync(join(bin, 'apt-get'), 0o755)
  const env = { PATH: `${bin}:${process.env['PATH']}`, LLAMA_SERVER: undefined }
  const outcome = await live(['--cache', cache], env)
  expect(outcome).toMatchObject({ status: 0, left: [] })
  expect(outcome.stdout).toMatch(/^skipped: /)
  expect(outcome.stdout).toMatch(existsSync('/usr/share/keyrings/debian-archive-keyring.gpg') ? said : /no Debian/)
  expect(readdirSync(cache)).toEqual([])
})

test('a server that answers in another format fails each case with what it said', async () => {
  const page = `(_, r) => r.setHeader('content-type', 'text/html').end('<html>Hello</html>')`
  const fake = fakeServer(`for one; do [ "$before" = --port ] && port=$one; before=$one; done
exec '${process.execPath}' -e "require('node:http').createServer(${page}).listen($port, '127.0.0.1')"`)
  const words = ['record', '--only', 'llama-chat', '--scenario', 'single-call', '--mode', 'stream']
  const outcome = await live(words, { LLAMA_SERVER: fake })
  expect(outcome).toMatchObject({ status: 1, left: [] })
  expect(outcome.stdout).toMatch(/^failed llama-chat\/single-call\/stream\n/m)
  expect(outcome.stdout).toContain('< 200 <html>Hello</html>')
})

test('an address where nobody is, and one that is no server of models, are reported in one line', async () => {
  const page = await serverOf(
    (_, response) => void response.setHeader('content-type', 'text/html').end('<html>Hello</html>'),
  )
  const other = await serverOf((_, response) => void response.writeHead(404).end('{"error":"no such path"}'))
  const mute = await serverOf(() => undefined)
  const gone = await serverOf((request) => void request.socket.destroy())
  const ollama = await serverOf(
    (_, response) => void response.end('{"model":"m","message":{"content":"Hi"},"done":true}'),
  )
  const cases = [
    ['http://127.0.0.1:9', /Check the address, and that the server runs/],
    [page, /does not answer in the wire format openai-chat/],
    [other, /correct the address/],
    [mute, /took a request, but gave no answer within 2 s/],
    [gone, /Check the address, and that the server runs/],
    [ollama, /does not answer in the wire format openai-chat/],
  ] as const
  for (const [url, said] of cases) {
    const outcome = await live(['--base-url', url, '--only', 'llama-chat', '--patience', '2'])
    expect(outcome).toMatchObject({ status: usage, stdout: '', left: [] })
    expect(outcome.stderr).toMatch(said)
  }
})

test('a server that is up is fuzzed, and left as a caller can leave it', async () => {
  const url = await serverOf((request, response) => {
    let body = ''
    request.on('data', (data: Buffer) => void (body += data.toString()))
    request.on('end', () => {
      const isStream = body.includes('"stream":true')
      const choice = isStream ? { delta: { content: 'Hi' } } : { message: { role: 'assistant', content: 'Hi' } }
      const answer = { id: 'x', model: 'm', choices: [{ index: 0, ...choice, finish_reason: 'stop' }] }
      const text = JSON.stringify(answer)
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
      response.end(isStream ? `data: ${text}\n\ndata: [DONE]\n\n` : text)
    })
  })
  const outcome = await spawnLive(['--base-url', url, '--only', 'llama-chat', '--runs', '20'])
  expect(outcome).toMatchObject({ status: 0, left: [] })
  expect(outcome.stdout).toContain('fuzz: 20 runs, 20 turns')
  expect(outcome.stdout).toContain('0 invariants broken')
  expect(outcome.stdout).toContain('the caller aborts: 2 of 2')
})

test.each([
  [['nonsense'], /There is no part 'nonsense'/],
  [['record', '--base-url', 'http://127.0.0.1:1'], /needs weights of ours/],
  [['--runs', 'many'], /--runs 'many' is no count/],
  [['--out', 'x', '--write'], /not both/],
])('live %j is refused', async (words, said) => {
  const outcome = await live(words)
  expect(outcome.status).toBe(usage)
  expect(outcome.stderr).toMatch(said)
})
