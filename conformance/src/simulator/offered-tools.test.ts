import { expect, test } from 'vitest'
import { objectAnswer } from './offered-tools.ts'

const object = { type: 'object', toolName: 'output_structured_data', input: {} } as const

test('the tool for an object is found by what it does, where the provider has made the adapter name it otherwise', () => {
  const description = 'Gives the final answer to the user. Call it once, when you have everything. A forecast.'
  const called = { type: 'call', toolName: 'outputstructureddata', input: {} }
  expect(objectAnswer(object, [{ name: 'outputstructureddata', description }]).parts).toEqual([called])
  expect(objectAnswer(object, [{ name: 'outputstructureddata' }]).parts).toEqual([{ type: 'text', text: '{}' }])
})
