import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBlocks } from '../repository/doc-blocks.ts'
import { repository } from '../repository/source-files.ts'

const page = 'docs/write-an-adapter.md'

/**
 * The adapter on the first screen of the page, in the names of the template `http`: what an author has who filled the scaffold in. So
 * page, template and example cassettes cannot drift apart.
 */
export function documentedAdapter(): string {
  const [whole] = readBlocks(page, readFileSync(join(repository, page), 'utf8'))
  if (whole?.use !== 'setup') throw new Error(`${page} does not begin with a whole adapter, marked \`ts setup\``)
  const names: readonly (readonly [string, string])[] = [
    ['api.acme.example', 'api.example.com'],
    ['acmeChat', 'myLlmChat'],
    ['Acme', 'MyLlm'],
    ['ACME', 'MY_LLM'],
    ['acme', 'my-llm'],
  ]
  return names.reduce((text, [from, to]) => text.replaceAll(from, to), whole.code)
}
