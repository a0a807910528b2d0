import type { Subject } from '../subject.ts'

interface IdRule {
  readonly hosts?: readonly string[]
  readonly wire: string
  readonly legal: RegExp
}

/** What providers take as call ids, the narrower rule first. Gemini and Ollama give none and take any. */
const rules: readonly IdRule[] = [
  // "Tool call id was ... but must be a-z, A-Z, 0-9, with a length of 9." (HTTP 400)
  { wire: 'openai-chat', hosts: ['api.mistral.ai'], legal: /^[a-zA-Z0-9]{9}$/ },
  // "string too long. Expected a string with maximum length 40" (HTTP 400)
  { wire: 'openai-chat', legal: /^[a-zA-Z0-9_-]{1,40}$/ },
  { wire: 'openai-responses', legal: /^[a-zA-Z0-9_-]{1,64}$/ },
  // "String should match pattern '^[a-zA-Z0-9_-]+$'" (HTTP 400)
  { wire: 'anthropic-messages', legal: /^[a-zA-Z0-9_-]+$/ },
]

/** Whether the subject's provider takes the call id. */
export function isLegalId(id: string, { wire, baseURL }: Subject): boolean {
  const { host } = new URL(baseURL)
  const rule = rules.find(
    (candidate) =>
      candidate.wire === wire && (candidate.hosts === undefined || candidate.hosts.some((end) => host.endsWith(end))),
  )
  return rule === undefined ? id !== '' : rule.legal.test(id)
}
