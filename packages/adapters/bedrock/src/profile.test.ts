import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { fromIni, fromNodeProviderChain } from '@aws-sdk/credential-providers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { AdapterError, collectTurn } from '@steploop/core/adapter'
import { createBedrock, type BedrockOptions } from './index.ts'
import { origin, requestOf } from './testing.ts'

const secret = 'wJalrXUtnFEMI-K7MDENG-secret'

/** What the AWS SDK finds on this machine: nothing but the files of a folder, which goes when the test ends. */
function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 'profile-'))
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'))
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'))
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  for (const name of ['BEARER_TOKEN_BEDROCK', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'SESSION_TOKEN', 'PROFILE'])
    vi.stubEnv(`AWS_${name}`, undefined)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  return folder
}

const keyOf = (letter: string): string => `AKIA${letter.repeat(16)}`

function profile(folder: string, name: string, ...lines: readonly string[]): void {
  writeFileSync(join(folder, 'credentials'), `[${name}]\n${lines.join('\n')}\n`)
}

/** A program whose credentials end at a time, and have another key at each call. */
function program(folder: string, expiration: string): string {
  const calls = join(folder, 'calls').replaceAll('\\', '/')
  const file = join(folder, 'credentials.cjs')
  const source = `const fs = require('fs')
fs.appendFileSync('${calls}', 'x')
const AccessKeyId = 'AKIA' + String.fromCharCode(64 + fs.readFileSync('${calls}').length).repeat(16)
const said = { Version: 1, AccessKeyId, SecretAccessKey: '${secret}', SessionToken: '${secret}', Expiration: '${expiration}' }
console.log(JSON.stringify(said))`
  writeFileSync(file, source)
  return `credential_process = "${process.execPath}" "${file}"`
}

/** Keys with which the requests of two turns are signed. */
async function signers(credentials: BedrockOptions['credentials']): Promise<readonly string[]> {
  const keys: string[] = []
  const fetch: typeof globalThis.fetch = (_, init) => {
    keys.push(/Credential=(\w+)\//.exec(new Headers(init?.headers).get('authorization') ?? '')?.[1] ?? 'none')
    const answer = { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn' }
    return Promise.resolve(Response.json(answer))
  }
  const adapter = createBedrock({ fetch, region: 'us-east-1', credentials })(origin.model)
  for (let turn = 0; turn < 2; turn++) await collectTurn(adapter.turn(requestOf(), { mode: 'generate' }), origin)
  return keys
}

test('the providers of the AWS SDK are credentials: a profile, named or of the environment', async () => {
  profile(home(), 'work', `aws_access_key_id = ${keyOf('W')}`, `aws_secret_access_key = ${secret}`)
  expect(await signers(fromIni({ profile: 'work' }))).toEqual([keyOf('W'), keyOf('W')])
  vi.stubEnv('AWS_PROFILE', 'work')
  expect(await signers(fromNodeProviderChain())).toEqual([keyOf('W'), keyOf('W')])
})

test('those that are about to end are renewed, and others are kept', async () => {
  const folder = home()
  const later = new Date(Date.now() + 3_600_000).toISOString()
  profile(folder, 'lasting', program(folder, later))
  expect(await signers(fromNodeProviderChain({ profile: 'lasting' }))).toEqual([keyOf('A'), keyOf('A')])
  const soon = new Date(Date.now() + 60_000).toISOString()
  profile(folder, 'ending', program(folder, soon))
  const ending = fromNodeProviderChain({ profile: 'ending', ignoreCache: true })
  expect(await signers(ending)).toContain(keyOf('B'))
  // The SDK renews in the background while the old ones hold.
  await vi.waitFor(async () => expect(await signers(ending)).toContain(keyOf('C')))
})

test.each<[string, (folder: string) => void]>([
  ['a file that is missing', () => undefined],
  [
    'a profile that is missing',
    (folder) => profile(folder, 'other', 'aws_access_key_id = A', `aws_secret_access_key = ${secret}`),
  ],
  ['half a profile', (folder) => profile(folder, 'work', `aws_secret_access_key = ${secret}`)],
  [
    'a program whose credentials have ended',
    (folder) => profile(folder, 'work', program(folder, '2020-01-01T00:00:00Z')),
  ],
])('%s is reported as such, and no secret in it', async (_, prepare) => {
  prepare(home())
  const error: unknown = await signers(fromIni({ profile: 'work', ignoreCache: true })).catch((cause: unknown) => cause)
  if (!AdapterError.isInstance(error)) throw new Error(`no AdapterError: ${inspect(error)}`)
  expect(error).toMatchObject({ code: 'authentication', retryable: false })
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  expect(String(error.cause)).toMatch(/work|expired/)
})
