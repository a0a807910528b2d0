import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { partData } from './content-schema.ts'
import { invalidArgument } from '../../simulate/google-status.ts'
import { invalidField } from './rejections.ts'
import type { Content } from './contents.ts'

/** Every content has parts, every part says one thing, and each role says only what is its own. */
export function checkParts(contents: readonly Content[]): Rejection | undefined {
  if (contents.length === 0) return invalidField(['contents'], 'contents is not specified')
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') return invalidArgument('Please use a valid role: user, model.')
    if (parts.length === 0) return invalidField(['contents', index, 'parts'], 'contents.parts must not be empty.')
    for (const [position, part] of parts.entries()) {
      const path = ['contents', index, 'parts', position]
      const refused = checkData(part, path) ?? checkRole(part, role, path)
      if (refused !== undefined) return refused
    }
  }
  return undefined
}

function checkData(part: JsonObject, path: readonly (string | number)[]): Rejection | undefined {
  const given = partData.filter((name) => part[name] !== undefined)
  if (given.length === 0) {
    return invalidField([...path, 'data'], "required oneof field 'data' must have one initialized field")
  }
  if (given.length > 1) {
    return invalidArgument(
      `Invalid value at '${path.join('.')}' (oneof), oneof field 'data' is already set. Cannot set '${String(given[1])}'`,
    )
  }
  return undefined
}

const modelOnly = [
  'functionCall',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'thought',
] as const

function checkRole(part: JsonObject, role: string, path: readonly (string | number)[]): Rejection | undefined {
  const foreign = role === 'user' ? modelOnly.find((name) => part[name] !== undefined) : undefined
  const name = role === 'model' && part['functionResponse'] !== undefined ? 'functionResponse' : foreign
  if (name === undefined) return undefined
  return invalidField([...path, name], `is not supported for the role ${role}.`)
}
