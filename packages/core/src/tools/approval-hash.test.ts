import { expect, test } from 'vitest'
import { approvalHash } from './approval-hash.ts'
import { tool } from './tool.ts'

const drop = { inputSchema: { type: 'object' }, description: 'Drops a table.' } as const
const call = { toolName: 'drop', tool: tool(drop), given: { table: 'a' }, input: { table: 'a' } }

test('an approval is bound to the definition, the arguments and the input, each in its half', async () => {
  const { definition, hash } = await approvalHash(call)
  expect(hash).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
  expect(hash.startsWith(`${definition}.`)).toBe(true)
  expect(await approvalHash({ ...call, tool: tool(drop) })).toEqual({ definition, hash })
  for (const other of [{ given: {} }, { input: {} }]) {
    const changed = await approvalHash({ ...call, ...other })
    expect([changed.definition === definition, changed.hash === hash]).toEqual([true, false])
  }
  const tools = [
    { ...drop, description: 'Keeps it.' },
    { ...drop, inputSchema: { type: 'object', properties: {} } },
  ] as const
  for (const other of [...tools.map((declared) => ({ tool: tool(declared) })), { toolName: 'keep' }])
    expect((await approvalHash({ ...call, ...other })).definition).not.toBe(definition)
})

test('an approval of a tool without a description is one of a tool with an empty one', async () => {
  const [without, empty] = await Promise.all(
    [{}, { description: '' }].map((said) =>
      approvalHash({ ...call, tool: tool({ inputSchema: drop.inputSchema, ...said }) }),
    ),
  )
  expect(without).toEqual(empty)
})

test('an approval of a tool whose schema has no JSON form fails by the name of the tool', async () => {
  const inputSchema = {
    '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) },
  } as const
  await expect(approvalHash({ ...call, tool: { type: 'function', inputSchema } })).rejects.toThrow(
    "tool 'drop': schemas of 'mine'",
  )
})
