import { expect, test } from 'vitest'
import { requiredCases } from './required-recordings.ts'

test('recorded conversations of gpt-4o are required where they are at hand', { tags: ['X01'] }, () => {
  const files = ['parallel', '3turn', 'tool_output_only', '5turn', 'branch'].map(
    (name) => `sessions/openai_responses_tool_calls_${name}.yaml`,
  )
  const failing = requiredCases(files, (file) => !file.includes('branch'))
  expect(failing.filter(({ ok }) => !ok).map(({ file }) => file)).toEqual(files.slice(-1))
  expect(failing).toHaveLength(5)
  expect(requiredCases(['sessions/vllm_responses_parallel.yaml'], () => false)).toEqual([])
})
