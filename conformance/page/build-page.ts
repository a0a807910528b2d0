import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

const here = import.meta.dirname

/**
 * The page as one HTML text: markup, styles and program, with a slot where `printHtml` puts a report. Takes about a quarter of a second.
 *
 * @throws Error when the program does not compile
 */
export async function buildPage(): Promise<string> {
  const { output } = await build({
    input: join(here, 'main.tsx'),
    platform: 'browser',
    write: false,
    logLevel: 'warn',
    output: { format: 'iife', minify: true },
  })
  // Inside of a script element, only this would end it.
  const program = output[0].code.replaceAll('</script', String.raw`<\/script`)
  const parts: Readonly<Record<string, string>> = { style: read('page.css'), program }
  return read('page.html').replaceAll(/<!-- place of the (style|program) -->/g, (_, part: string) => parts[part] ?? '')
}

function read(name: string): string {
  return readFileSync(join(here, name), 'utf8')
}
