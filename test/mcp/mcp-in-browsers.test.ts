import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { repository } from '../repository/source-files.ts'

test.each(['browser', 'workerd'])('the main entry of mcp is one module without node: for %s', async (condition) => {
  await using bundle = await rolldown({
    input: join(repository, 'packages/mcp/src/index.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['@steploop/source', condition, 'import', 'default'] },
  })
  const { output } = await bundle.generate({ format: 'esm' })
  const [chunk, ...more] = output
  expect([more, chunk.imports, chunk.dynamicImports]).toEqual([[], [], []])
  expect(chunk.code).not.toMatch(/(from|import\(?)\s*["']node:/)
})
