import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import type { PageFiles } from './server.ts'

/** Bundles the page in memory. */
export async function buildPage(): Promise<PageFiles> {
  const folder = join(import.meta.dirname, 'page')
  const { output } = await build({
    input: join(folder, 'main.tsx'),
    write: false,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: { format: 'esm', minify: true },
    // Libraries mark what runs in browsers with a directive, which says nothing in a bundle for browsers.
    onLog: (level, log, report) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : report(level, log)),
  })
  return { script: output[0].code, style: readFileSync(join(folder, 'page.css'), 'utf8') }
}
