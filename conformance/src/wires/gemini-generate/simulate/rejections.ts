import { pathText, typeName, type Path, type ShapeFault } from '../../simulate/shape-fault.ts'
import { invalidArgument, type StatusRejection } from '../../simulate/google-status.ts'
import { snakeCase } from './proto-message.ts'

/** `* GenerateContentRequest.<field>: <reason>`, as the API's own validation says it. */
export function invalidField(path: Path, reason: string): StatusRejection {
  return invalidArgument(`* GenerateContentRequest.${dotted(path)}: ${reason}\n`)
}

const protoTypes: Readonly<Record<string, string>> = {
  int: 'TYPE_INT32',
  number: 'TYPE_FLOAT',
  string: 'TYPE_STRING',
  boolean: 'TYPE_BOOL',
  record: 'type.googleapis.com/google.protobuf.Struct',
}

/** Gives a fault of shape Google's words; paths are in snake_case. */
export function shapeRejection(fault: ShapeFault): StatusRejection {
  const at = `'${dotted(fault.path)}'`
  switch (fault.type) {
    case 'unknown-field': {
      const parent = dotted(fault.path.slice(0, -1))
      const location = parent === '' ? '' : ` at '${parent}'`
      return invalidArgument(
        `Invalid JSON payload received. Unknown name "${String(fault.path.at(-1))}"${location}: Cannot find field.`,
      )
    }
    case 'missing-field':
      return invalidField(fault.path, 'is not specified')
    case 'wrong-type':
      return invalidArgument(wrongType(fault, at))
    case 'wrong-value':
      return invalidArgument(`Invalid value at ${at} (TYPE_ENUM), ${JSON.stringify(fault.value)}`)
    case 'pattern':
      return patternRejection(fault)
    case 'limit':
      return invalidField(fault.path, `must be at ${fault.bound === 'minimum' ? 'least' : 'most'} ${fault.limit}.`)
    default:
      return fault satisfies never
  }
}

function wrongType(fault: Extract<ShapeFault, { type: 'wrong-type' }>, at: string): string {
  const [expected = ''] = fault.expected
  if (expected === 'array' || (expected === 'object' && typeName(fault.value) === 'array')) {
    return `Invalid JSON payload received. Unknown name "${String(fault.path.at(-1))}": Proto field is ${expected === 'array' ? '' : 'not '}repeating, ${expected === 'array' ? 'cannot start list' : 'cannot be a list'}.`
  }
  return `Invalid value at ${at} (${protoTypes[expected] ?? 'TYPE_MESSAGE'}), ${JSON.stringify(fault.value) ?? 'null'}`
}

function patternRejection(fault: Extract<ShapeFault, { type: 'pattern' }>): StatusRejection {
  if (fault.path.at(-1) === 'name') {
    return invalidField(
      fault.path,
      'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
    )
  }
  const at = dotted(fault.path)
  if (fault.path.at(-1) === 'type')
    return invalidArgument(`Invalid value at '${at}' (TYPE_ENUM), "${String(fault.value)}"`)
  return invalidArgument(`Invalid value at '${at}' (TYPE_BYTES), Base64 decoding failed for "${String(fault.value)}"`)
}

/** `contents[0].parts[1].function_call.name` */
function dotted(path: Path): string {
  return pathText(path.map((key) => (typeof key === 'number' ? key : snakeCase(key))))
}
