import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { features } from '@steploop/conformance/cli'
import type { Adapter, Flag } from '@steploop/core/adapter'
import config from '../steploop.config.ts'

/** Tables of what each adapter can do, made from its `capabilities`: one for all, and one in the README of each package. */

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..')

const titles: Readonly<Record<(typeof features)[number], string>> = {
  tools: 'function calls',
  parallel: 'several calls in one turn',
  structured: 'JSON by schema, native',
  structuredWithTools: 'the same while tools are present',
  reasoning: 'reasoning apart from text',
  reasoningReplay: 'reasoning is sent back',
  continuation: 'goes on from a response id',
  providerTools: 'tools that the provider runs',
  pause: 'paused turns',
  imageInput: 'images in messages',
  fileInput: 'other files in messages',
  toolResultImages: 'images in tool results',
  streamUsage: 'usage of streamed turns',
  cacheControl: 'prompt caching switches',
}

/** Another endpoint of a provider can do what the first one can. */
const subjects = config.subjects
  .filter(({ scenarios }) => scenarios === undefined)
  .map((subject) => ({ name: subject.name, adapter: subject.adapter({ apiKey: 'none' }) }))

function cell(flag: Flag | undefined): string {
  if (typeof flag === 'object')
    return flag.generate === flag.stream ? cell(flag.generate) : flag.generate ? 'JSON only' : 'streams only'
  return flag === true ? 'yes' : 'no'
}

function table(columns: readonly { readonly name: string; readonly adapter: Adapter }[]): string {
  const lines = [
    ['', ...columns.map(({ name, adapter }) => `${name} (\`${adapter.model}\`)`)],
    ['---', ...columns.map(() => '---')],
    ...features.map((flag) => [titles[flag], ...columns.map(({ adapter }) => cell(adapter.capabilities[flag]))]),
    ['kinds of tool choice', ...columns.map(({ adapter }) => adapter.capabilities.toolChoice?.join(', ') || 'none')],
  ]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Citations of a neighbouring page, as links. */
function withLinks(text: string): string {
  return text.replace(/docs\/(wire\.md)(#[\w-]+)/g, '[$1]($1$2)')
}

/** Why what is missing is missing: one line per subject and reason, as reports give it beside what does not apply. */
function limitsTable(): string {
  const lines = config.subjects.flatMap(({ name, limits = {} }) => {
    const flags = new Map<string, string[]>()
    for (const [flag, reason] of Object.entries(limits))
      flags.set(reason, [...(flags.get(reason) ?? []), `\`${flag}\``])
    return [...flags].map(([reason, names]) => `| ${name} | ${names.join(', ')} | ${withLinks(reason)} |`)
  })
  return ['| | lacks | because |', '| --- | --- | --- |', ...lines].join('\n')
}

function unverifiedTable(): string {
  const lines = config.subjects.flatMap(({ name, unverified }) =>
    unverified === undefined ? [] : [`| ${name} | ${withLinks(unverified)} |`],
  )
  if (lines.length === 0) return 'None: of every wire format and provider above more than ten turns were recorded.'
  return ['| | what was recorded |', '| --- | --- |', ...lines].join('\n')
}

/** The file with a table up to date; a file without the marks gets them at its end. */
function withTable(text: string, made: string, what = 'capabilities'): string {
  const begin = `<!-- ${what}: made by \`pnpm docs:capabilities\` -->`
  const end = `<!-- end of ${what} -->`
  const block = `${begin}\n\n${made}\n\n${end}`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) return `${text.trimEnd()}\n\n## What it can do\n\n${block}\n`
  return text.slice(0, from) + block + text.slice(to + end.length)
}

/** Every file that holds a table, with what it should be. */
export function capabilityFiles(): readonly { readonly path: string; readonly expected: string }[] {
  const tables = withTable(withTable(readText('docs/providers.md'), table(subjects)), limitsTable(), 'limits')
  const overview = withTable(tables, unverifiedTable(), 'unverified')
  const packages = new Set(subjects.map(({ name }) => packageOf(name)))
  const readmes = [...packages].map((name) => {
    const path = `packages/adapters/${name}/README.md`
    return {
      path,
      expected: withTable(readText(path), table(subjects.filter((subject) => packageOf(subject.name) === name))),
    }
  })
  return [{ path: 'docs/providers.md', expected: overview }, ...readmes]
}

/** A package may have several subjects: `xai` and `xai-chat`, for example. */
function packageOf(subject: string): string {
  const known = ['xai', 'openai-compatible', 'deepseek', 'bedrock', 'vertex']
  return known.find((name) => subject.startsWith(name)) ?? subject
}

export function readText(path: string): string {
  return readFileSync(resolve(repository, path), 'utf8')
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === 'capability-tables.ts') {
  for (const { path, expected } of capabilityFiles()) writeFileSync(resolve(repository, path), expected)
}
