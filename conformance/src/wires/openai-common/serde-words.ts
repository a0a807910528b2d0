import { typeName, type ShapeFault } from '../simulate/shape-fault.ts'

/** What servers say that read bodies into the types of a program (DeepSeek, xAI). */
export function serdeMessage(fault: ShapeFault): string {
  const place = fault.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  return `Failed to deserialize the JSON body into the target type: ${place.replace(/^\./, '')}: ${reason(fault)}`
}

function reason(fault: ShapeFault): string {
  switch (fault.type) {
    case 'unknown-field':
      return `unknown field \`${String(fault.path.at(-1))}\``
    case 'missing-field':
      return `missing field \`${String(fault.path.at(-1))}\``
    case 'wrong-type':
      return `invalid type: ${typeName(fault.value)}, expected ${fault.expected.join(' or ')}`
    case 'wrong-value':
      return `unknown variant \`${String(fault.value)}\`, expected one of ${fault.allowed.map((value) => `\`${value}\``).join(', ')}`
    case 'pattern':
      return `expected a string that matches the pattern '${fault.pattern}'`
    case 'limit':
      return `the ${fault.bound} of the ${fault.of === 'number' ? 'value' : 'length'} is ${fault.limit}`
    default:
      return fault satisfies never
  }
}
