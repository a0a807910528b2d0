import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import type { PageFiles } from './server.ts'

/** Bundles a page in memory; `entry`: from this folder. */
export async function buildPage(entry = 'page/main.tsx'): Promise<PageFiles> {
  const { output } = await build({
    input: join(import.meta.dirname, entry),
    write: false,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: { format: 'esm', minify: true },
    // Libraries mark what runs in browsers with a directive, which says nothing in a bundle for browsers.
    onLog: (level, log, report) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : report(level, log)),
  })
  return { script: output[0].code, style: readFileSync(join(import.meta.dirname, 'page/page.css'), 'utf8') }
}
