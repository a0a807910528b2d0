import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startSimulator } from '@steploop/conformance/simulator'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import config from '../../steploop.config.ts'
import { anchorsOf } from './doc-anchors.ts'
import { readBlocks, type DocBlock, type ScriptedModel } from './doc-blocks.ts'
import { findFiles, repository } from './source-files.ts'

const folder = resolve(repository, '.cache/docs')
const pages = findFiles('**/*.md').filter((page) => !page.includes('.changeset/') && !page.startsWith('docs/api/'))
const blocks = pages.flatMap((page) => readBlocks(page, readFileSync(resolve(repository, page), 'utf8')))
const whole = blocks.filter(({ use }) => use !== 'fragment')

/** A module per block; modules of a page lie in one folder. */
function fileOf({ page, line }: DocBlock): string {
  return join(folder, page.replace(/\.md$/, '').replaceAll('/', '-'), `line-${line}.ts`)
}

/** The code of a block; what it imports by a path is found from its page. */
function withImportsOf(block: DocBlock): string {
  const [from, to] = [dirname(fileOf(block)), resolve(repository, dirname(block.page))]
  return (block.setup + block.code).replaceAll(
    / from '(\.[^']+)'/g,
    (_, path: string) => ` from '${relative(from, resolve(to, path))}'`,
  )
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  for (const block of whole) {
    mkdirSync(dirname(fileOf(block)), { recursive: true })
    writeFileSync(fileOf(block), withImportsOf(block))
  }
  const compilerOptions = {
    noEmit: true,
    types: ['node'],
    noUnusedLocals: false,
    noUnusedParameters: false,
    moduleDetection: 'force',
  }
  const settings = { extends: '../../tsconfig.base.json', compilerOptions, include: ['**/*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As a module, or as members of an object. */
function syntaxErrors(code: string): readonly string[] {
  const [module, members] = [code, `export default {\n${code}}`].map(
    (text) => parseSync('block.ts', text, { sourceType: 'module' }).errors,
  )
  return members?.length === 0 ? [] : (module ?? []).map(({ message }) => message)
}

test('every fragment parses', () => {
  const fragments = blocks.filter(({ use }) => use === 'fragment')
  const errors = fragments.flatMap(({ page, line, code }) =>
    syntaxErrors(code).map((error) => `${page}:${line}: ${error}`),
  )
  expect(errors).toEqual([])
})

test('every block of TypeScript that is no fragment passes the type check', { timeout: 120_000 }, async () => {
  const tsc = resolve(repository, 'node_modules/.bin/tsc')
  const output = await new Promise<string>((done) => {
    // Checkers do work twice that they do not share: one, as other tests use the other cores.
    const words = ['-p', join(folder, 'tsconfig.json'), '--pretty', 'false', '--checkers', '1']
    execFile(tsc, words, { cwd: folder }, (_, stdout) => done(stdout))
  })
  expect(output.split('\n').flatMap(inPage)).toEqual([])
})

/** `docs-x/line-7.ts(3,5): error` as a line of the page; errors of the packages themselves are shown by `pnpm types`. */
function inPage(message: string): readonly string[] {
  const [, file, line, rest] = /^(.+\.ts)\((\d+),\d+\): (.*)$/.exec(message) ?? []
  const block = whole.find((one) => file !== undefined && relative(folder, fileOf(one)) === file)
  if (block === undefined) return []
  const setupLines = block.setup.split('\n').length - 1
  return [`${block.page}:${block.line + Number(line) - 1 - setupLines}: ${rest}`]
}

/** Every provider's public address leads to a simulator that plays the page's script; any other is refused, loopback aside. */
async function startModels(models: readonly ScriptedModel[]): Promise<void> {
  const routes = new Map<string, string>()
  /** Of models without a script: the page answers them itself, below `fetch`. */
  const answeredByPage: string[] = []
  for (const { name, script, ...given } of models) {
    const subject = config.subjects.find((one) => one.name === name)
    const { wire = subject!.wire, baseURL = subject!.baseURL } = given
    const simulator = await startSimulator({ wire, baseURL, script })
    onTestFinished(async () => {
      await simulator.close()
      expect([name, simulator.remaining]).toEqual([name, 0])
    })
    routes.set(baseURL, simulator.url)
    if (script.length === 0) answeredByPage.push(baseURL)
    vi.stubEnv(subject?.apiKeyVariable ?? `${name.toUpperCase()}_API_KEY`, 'key-of-the-docs')
  }
  const real = globalThis.fetch
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input)
    if (answeredByPage.some((one) => url.startsWith(one))) return real(input, init)
    const base = [...routes.keys()].find((one) => url.startsWith(one))
    if (base !== undefined) return real(routes.get(base)! + url.slice(base.length), init)
    if (new URL(url).hostname === '127.0.0.1') return real(input, init)
    throw new TypeError(`${url}: no model is scripted for this address`)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
}

function printed(values: readonly unknown[]): string {
  return `${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')}\n`
}

/** One block runs a part of the conformance suite. */
const slow = { timeout: 60_000 }

const running = blocks.filter(({ use }) => use === 'run')
test.each(running.map((block) => [`${block.page}:${block.line}`, block] as const))(
  'every block that is marked `run` runs, and prints what its page says: %s',
  slow,
  async (_, block) => {
    let output = ''
    vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => void (output += printed(values)))
    onTestFinished(() => void vi.restoreAllMocks())
    await startModels(block.models)
    await import(pathToFileURL(fileOf(block)).href)
    expect(output).toBe(block.prints ?? output)
  },
)

test('every relative link of a page leads to a file, and to a heading in it', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(resolve(repository, page), 'utf8').replace(/^```[^]*?^```/gm, '')
    const targets = [...text.matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)].map(([, target]) => target!)
    return targets.filter((target) => !leadsSomewhere(page, target)).map((target) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})

test('a link that names a file leads to a file of that name', () => {
  const misnamed = pages.flatMap((page) => {
    const text = readFileSync(resolve(repository, page), 'utf8')
    const links = [...text.matchAll(/\[`([\w.-]+\.(?:tsx?|md|json|ya?ml))`\]\(([^)#\s]+)/g)]
    return links.filter(([, label, target]) => basename(target!) !== label).map(([link]) => `${page}: ${link}`)
  })
  expect(misnamed).toEqual([])
})

function leadsSomewhere(page: string, target: string): boolean {
  const [path, anchor] = target.split('#')
  const file = path === '' ? resolve(repository, page) : resolve(repository, dirname(page), path!)
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
}
