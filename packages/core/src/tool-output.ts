import type { ToolOutput } from './messages.ts'

/**
 * A tool output as the one string that most wire formats want: text as it is, JSON as JSON, an error as `{"error":{...}}`,
 * content as its text parts (files left out: an adapter that cannot send them says so in `warnings`).
 */
export function toolOutputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value) ?? 'null'
    case 'error':
      return JSON.stringify({ error: output.value })
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('')
    default:
      return output satisfies never
  }
}
