import { pathText, typeName, type Path, type ShapeFault } from '../../simulate/shape-fault.ts'
import type { Rejection } from '../../simulate/wire-simulation.ts'
import { refused, silentlyIgnored } from './failures.ts'

/**
 * The server reads bodies with Go's JSON decoder: a member of a wrong type is refused, whereas unknown members are skipped, absent ones
 * and null are zero, and neither the size of a list nor the value of a text is looked at.
 */
export function shapeRejection(fault: ShapeFault): Rejection {
  const path = pathText(fault.path)
  switch (fault.type) {
    case 'unknown-field':
      return silentlyIgnored(`unknown member '${path}'`)
    case 'missing-field':
      return silentlyIgnored(`'${path}' is missing`)
    case 'wrong-value':
      if (typeof fault.value !== 'string') return goTypeError(fault.path, fault.value, 'string')
      return silentlyIgnored(`'${path}' is '${fault.value}'; known are ${fault.allowed.join(', ')}`)
    case 'limit':
      return silentlyIgnored(`'${path}' has to be at ${fault.bound === 'minimum' ? 'least' : 'most'} ${fault.limit}`)
    case 'pattern':
      return refused('illegal base64 data at input byte 0')
    case 'wrong-type':
      if (fault.value === null) return silentlyIgnored(`'${path}' is null`)
      return goTypeError(fault.path, fault.value, goTypes[fault.expected[0] ?? ''] ?? 'struct')
    default:
      return fault satisfies never
  }
}

const goTypes: Readonly<Record<string, string>> = {
  array: 'slice',
  boolean: 'bool',
  int: 'int',
  number: 'float64',
  record: 'map',
  string: 'string',
}

const jsonTypes: Readonly<Record<string, string>> = { integer: 'number', decimal: 'number', boolean: 'bool' }

/** Indexes are not named. Where the server says which of its own types it wanted, this says the kind of it. */
function goTypeError(path: Path, value: unknown, expected: string): Rejection {
  const type = typeName(value)
  const field = path.filter((key) => typeof key === 'string').join('.')
  return refused(
    `json: cannot unmarshal ${jsonTypes[type] ?? type} into Go struct field ChatRequest.${field} of type ${expected}`,
  )
}
