import type { RequiredCase } from './recorded-report.ts'

/** The recorded sessions of gpt-4o with which vLLM's agentic-api tests its own loop: https://github.com/vllm-project/agentic-api/pull/83 */
const names = ['parallel', '3turn', 'tool_output_only', '5turn', 'branch'].map(
  (name) => `openai_responses_tool_calls_${name}`,
)

/** Where a folder holds one of them, the loop has to hold that conversation as its client did; nobody else has them. */
export function requiredCases(files: readonly string[], isHeld: (file: string) => boolean): readonly RequiredCase[] {
  const cases = names.flatMap((name): readonly RequiredCase[] => {
    const found = files.filter((file) => new RegExp(`${name}(?![_a-z0-9])`).test(file))
    return found.length === 0 ? [{ name, ok: true }] : found.map((file) => ({ name, file, ok: isHeld(file) }))
  })
  return cases.some(({ file }) => file !== undefined) ? cases : []
}
