import { canonicalJson } from '../wire/canonical-json.ts'
import { jsonSchemaOf, type FunctionTool } from './tool.ts'

/**
 * What an approval is bound to, as two SHA-256 in base64url with a dot between: of the tool's definition (name, description, schema), and of
 * the definition together with the arguments and the input that was made of them. Whoever approves may send it back, to say which call was
 * meant.
 */
export interface ApprovalHash {
  /** The first half, up to the dot. */
  readonly definition: string
  /** The whole text. */
  readonly hash: string
}

export interface ApprovedCall {
  readonly toolName: string
  readonly tool: FunctionTool<never>
  /** What was validated, as JSON data: the model's arguments, or what a hook made of them. */
  readonly given: unknown
  /** What was shown: the value that `execute` gets, as JSON data. */
  readonly input: unknown
}

export async function approvalHash({ toolName, tool, given, input }: ApprovedCall): Promise<ApprovalHash> {
  const { description = '', inputSchema } = tool
  const schema = jsonSchemaOf(inputSchema, `tool '${toolName}'`)
  const definition = await sha256(canonicalJson({ name: toolName, description, schema }))
  return { definition, hash: `${definition}.${await sha256(`${definition}\n${canonicalJson([given, input])}`)}` }
}

async function sha256(text: string): Promise<string> {
  return base64Url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Base64 with `-` and `_`, without padding (RFC 4648, section 5). */
export function base64Url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
