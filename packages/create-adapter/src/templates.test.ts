import { runConformance, type Subject } from '@steploop/conformance'
import { expect, it } from 'vitest'
import aiSdk from '../templates/ai-sdk/steploop.config.ts'
import chatDialect from '../templates/chat-dialect/steploop.config.ts'
import http from '../templates/http/steploop.config.ts'
import transport from '../templates/transport/steploop.config.ts'

/** Ids of the checks that fail, each once. The stressors are left to `pnpm scaffold:test`. */
async function failing({ subjects }: { readonly subjects: readonly Subject[] }): Promise<readonly string[]> {
  const { cases, counts } = await runConformance(subjects, { stress: [] })
  expect(counts.pass + counts.fail).toBeGreaterThanOrEqual(10)
  const red = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  return [...new Set(red)].toSorted()
}

it.each([
  ['chat-dialect', chatDialect],
  ['transport', transport],
  ['ai-sdk', aiSdk],
] as const)('the template %s passes every check as it is', async (_, config) => {
  expect(await failing(config)).toEqual([])
})

it('the template http fails until it is filled in, and says that the conversation is missing in the request', async () => {
  expect(await failing(http)).toEqual(expect.arrayContaining(['as-recorded', 'golden', 'whole-history']))
})
