import type { SimulatorOptions } from '@steploop/conformance/simulator'

/**
 * What is done with a block of TypeScript in a page, by the word after `ts`: nothing but `ts` is type-checked as a module of its own;
 * `setup` too, and it stands before every later block of its page; `run` is also executed, and a block of `text` that follows it is what
 * it has to print; `fragment` is a piece of code that only has to parse.
 */
export type BlockUse = 'check' | 'setup' | 'run' | 'fragment'

export interface DocBlock {
  /** Page from the repository's root, and line of the first line of code: where messages point to. */
  readonly page: string
  readonly line: number
  readonly use: BlockUse
  readonly code: string
  /** The page's setup before this block. */
  readonly setup: string
  /** What it has to print; `undefined`: nothing is said. */
  readonly prints: string | undefined
  /** What the models say while it runs. */
  readonly models: readonly ScriptedModel[]
}

/** `<!-- model NAME -->` for a subject of the repository, `<!-- model NAME WIRE URL -->` for another one. Default: anthropic. */
export interface ScriptedModel {
  readonly name: string
  readonly wire: string | undefined
  readonly baseURL: string | undefined
  readonly script: Script
}

export type Script = SimulatorOptions['script']
type Turn = Script[number]
type Part = Extract<Turn, { readonly type: 'answer' }>['parts'][number]

interface Fence {
  readonly info: string
  readonly line: number
  readonly text: string
}

const uses: ReadonlySet<string> = new Set(['check', 'setup', 'run', 'fragment'])

/** The TypeScript blocks of a page. Throws `SyntaxError` for a mark that is none, and a script that cannot be read. */
export function readBlocks(page: string, markdown: string): readonly DocBlock[] {
  const found = fences(markdown)
  const blocks: DocBlock[] = []
  let setup = ''
  let models: ScriptedModel[] = []
  for (const [index, { info, line, text }] of found.entries()) {
    if (info.startsWith('<!-- model')) {
      const [name = 'anthropic', wire, baseURL] = info.split(' ').slice(2)
      models.push({ name, wire, baseURL, script: readScript(text, `${page}:${line}`) })
    }
    if (!/^ts\b/.test(info)) continue
    const use = info.split(/\s+/)[1] ?? 'check'
    if (!isUse(use))
      throw new SyntaxError(`${page}:${line}: 'ts ${use}' is no mark; there are: ${[...uses].join(', ')}`)
    const next = found[index + 1]
    const prints = use === 'run' && next?.info === 'text' ? next.text : undefined
    blocks.push({ page, line, use, code: text, setup, prints, models })
    if (use === 'setup') setup += text
    if (use === 'run') models = []
  }
  return blocks
}

function isUse(word: string): word is BlockUse {
  return uses.has(word)
}

/** Fenced blocks and `<!-- model -->` comments, in order. */
function fences(markdown: string): readonly Fence[] {
  const found: Fence[] = []
  let open: { info: string; line: number; end: string; lines: string[] } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open !== undefined) {
      if (line.trim() === open.end) {
        found.push({ info: open.info, line: open.line, text: open.lines.map((one) => `${one}\n`).join('') })
        open = undefined
      } else open.lines.push(line)
      continue
    }
    const fence = /^(`{3,})(\S.*)?$/.exec(line)
    if (fence) open = { info: fence[2]?.trim() ?? '', line: index + 2, end: fence[1] ?? '', lines: [] }
    else if (/^<!-- model\b/.test(line)) open = { info: line, line: index + 2, end: '-->', lines: [] }
  }
  if (open !== undefined) throw new SyntaxError(`line ${open.line}: a block is not closed`)
  return found
}

/** One turn per line: `call NAME JSON`, `say TEXT`, `think TEXT`, joined by ` & `; or `fail KIND`. */
function readScript(text: string, where: string): Script {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Turn => {
      const failure = failures.find((kind) => line === `fail ${kind}`)
      if (failure !== undefined) return { type: 'failure', failure }
      return { type: 'answer', parts: line.split(' & ').map((part) => readPart(part, where)) }
    })
}

const failures = ['overloaded', 'rate-limited', 'server-error', 'bad-key'] as const

function readPart(part: string, where: string): Part {
  const [, word, rest = ''] = /^(\w+) (.*)$/.exec(part) ?? []
  if (word === 'say') return { type: 'text', text: rest }
  if (word === 'think') return { type: 'reasoning', text: rest }
  const [, toolName, json] = /^(\S+) (\{.*\})$/.exec(rest) ?? []
  if (word !== 'call' || toolName === undefined || json === undefined) {
    throw new SyntaxError(`${where}: '${part}' is none of: call NAME JSON, say TEXT, think TEXT, fail KIND`)
  }
  return { type: 'call', toolName, input: JSON.parse(json) as Record<string, unknown> }
}
