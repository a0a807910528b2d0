import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HarnessError } from '../harness-error.ts'

/**
 * The page of the HTML report without its data. In the package it is a file beside this one; from the sources it is built on demand, so
 * that it is never older than they are.
 *
 * @throws HarnessError `config` when there is neither the file nor what it is built from
 */
export async function pageTemplate(): Promise<string> {
  const built = fileURLToPath(new URL('page.html', import.meta.url))
  if (existsSync(built)) return readFileSync(built, 'utf8')
  const source = new URL('../../page/build-page.ts', import.meta.url)
  const missing = `The page of the HTML report is not built: ${built} does not exist. Run \`pnpm build\`.`
  if (!existsSync(source)) throw new HarnessError('config', missing, { file: built })
  try {
    // Named at run time: it is no part of what is published, and the compiler would follow it.
    const builder: unknown = await import(source.href)
    return await buildWith(builder)
  } catch (cause) {
    throw new HarnessError('config', `${missing} It cannot be built on demand either.`, { file: built, cause })
  }
}

async function buildWith(builder: unknown): Promise<string> {
  const isModule = typeof builder === 'object' && builder !== null && 'buildPage' in builder
  const build = isModule ? builder.buildPage : undefined
  const page: unknown = typeof build === 'function' ? await Reflect.apply(build, undefined, []) : undefined
  if (typeof page === 'string') return page
  throw new TypeError('`buildPage` of conformance/page/build-page.ts gives no text')
}
