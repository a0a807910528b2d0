import { expect, test } from 'vitest'
import { readBlocks } from './doc-blocks.ts'

const page = `# Page

\`\`\`ts setup
const a = 1
\`\`\`

<!-- model openai
think Hm. & say One. & call f {"x":"&"}
fail overloaded
-->

\`\`\`ts run
console.log(a)
\`\`\`

\`\`\`text
1
\`\`\`

\`\`\`ts
const b = a
\`\`\`
`

test('blocks know their use, their line, the setup before them, and what they print', () => {
  const [setup, run, check] = readBlocks('page.md', page)
  expect([setup, run, check].map((block) => [block?.use, block?.line, block?.setup])).toEqual([
    ['setup', 4, ''],
    ['run', 13, 'const a = 1\n'],
    ['check', 21, 'const a = 1\n'],
  ])
  expect([run?.prints, check?.prints]).toEqual(['1\n', undefined])
})

test('what the models say is for the next block that runs, by provider', () => {
  const [, run, check] = readBlocks('page.md', page)
  const said = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'One.' },
    { type: 'call', toolName: 'f', input: { x: '&' } },
  ]
  const script = [
    { type: 'answer', parts: said },
    { type: 'failure', failure: 'overloaded' },
  ]
  expect(run?.models).toEqual([{ name: 'openai', wire: undefined, baseURL: undefined, script }])
  expect(check?.models).toEqual([])
})

test.each([
  ['```ts ran\n```', "'ts ran' is no mark"],
  ['<!-- model\nshout Hello\n-->\n\n```ts run\n```', "'shout Hello' is none of"],
  ['```ts\nconst a = 1', 'is not closed'],
])('the page %j is refused', (markdown, message) => {
  expect(() => readBlocks('page.md', markdown)).toThrow(message)
})
