import type { CaseDetails } from '@steploop/conformance/cli'

type Execution = CaseDetails['runs'][number]['otherExecutions'][number]

/** Calls with what the tool got and gave. */
export function Executions({
  executions,
  title,
}: {
  readonly executions: readonly Execution[]
  readonly title: string
}) {
  return (
    <div class="executions" role="group" aria-label={title}>
      <p class="what">{title}</p>
      <ul>
        {executions.map(({ toolCallId, toolName, input, ran, output }) => (
          <li key={toolCallId}>
            <code>
              <strong>{toolName}</strong> {JSON.stringify(input)}
            </code>{' '}
            <span class="faint">{ran ? 'ran' : 'did not run here'}</span>
            {output !== undefined && (
              <div>
                <span aria-hidden="true">→ </span>
                <span class="hidden">gives </span>
                <code>{outputText(output)}</code>
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Outputs are `{ type, value }`: an error says so by its value. */
function outputText(output: unknown): string {
  const isTyped = typeof output === 'object' && output !== null && 'value' in output
  const value = isTyped ? output.value : output
  return typeof value === 'string' ? value : JSON.stringify(value)
}
