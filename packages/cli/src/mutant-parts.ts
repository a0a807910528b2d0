import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { HarnessError } from '@steploop/conformance'
import type { MutantOutcome, MutantsReport } from '@steploop/conformance/cli'
import { endWithThis } from './end-with-this.ts'
import { ProcessEnded } from './process-ended.ts'

export interface PartsOptions {
  readonly config: string | undefined
  readonly matrix: string
  readonly processes: number
  /** How many mutants there are. */
  readonly total: number
  readonly onProgress: (done: number, total: number, id: string) => void
}

/** Every n-th of the list, so that slow ones, which stand together, are spread. */
export function partOf<Item>(items: readonly Item[], part: string): readonly Item[] {
  const [index = 0, count = 0] = part.split('/').map(Number)
  if (!/^\d+\/\d+$/.test(part) || index < 1 || index > count) {
    throw new HarnessError('usage', `--part '${part}' is not I/N with I from 1 to N.`)
  }
  return items.filter((_, at) => at % count === index - 1)
}

/** Tries all mutants in full, in several processes of this program. */
export async function runParts(options: PartsOptions): Promise<readonly MutantOutcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-mutants-'))
  const clean = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clean)
  let done = 0
  const { processes } = options
  const onLine = (id: string): void => options.onProgress(done++, options.total, id)
  const over = new AbortController()
  try {
    const parts = Array.from({ length: processes }, (_, index) =>
      runPart(options, {
        part: `${index + 1}/${processes}`,
        file: join(folder, `${index}.json`),
        onLine,
        over: over.signal,
      }),
    )
    return (await Promise.all(parts)).flat()
  } finally {
    over.abort()
    process.off('exit', clean)
    clean()
  }
}

interface Part {
  readonly part: string
  readonly file: string
  readonly onLine: (line: string) => void
  /** Aborted when nobody waits for this part any more, because another one failed. */
  readonly over: AbortSignal
}

async function runPart(
  { config, matrix }: PartsOptions,
  { part, file, onLine, over }: Part,
): Promise<readonly MutantOutcome[]> {
  const [, main = ''] = process.argv
  const words = ['mutants', ...(config === undefined ? [] : [config]), '--full', '--part', part, '--json', file]
  const child = spawn(process.execPath, [...process.execArgv, main, ...words, '--matrix', matrix], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // After Ctrl-C, or when another part fails, nobody waits for this one.
  endWithThis(child)
  over.addEventListener('abort', () => child.kill('SIGKILL'))
  const said: string[] = []
  createInterface(child.stderr).on('line', (line) => {
    said.push(line)
    onLine(line)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // Findings are told by the parent, of all parts together.
  if (code !== 0 && code !== 1)
    throw new ProcessEnded(`Part ${part} of the mutants ended with ${code ?? 'a signal'}: ${said.slice(-5).join('\n')}`)
  const report = JSON.parse(await readFile(file, 'utf8')) as MutantsReport
  return report.outcomes
}
