import { pathText, typeName, wordsFor, type FaultWords, type ShapeFault } from '../simulate/shape-fault.ts'

/** What servers say that read bodies into the types of a program (DeepSeek, xAI). */
export function serdeMessage(fault: ShapeFault): string {
  return `Failed to deserialize the JSON body into the target type: ${pathText(fault.path)}: ${wordsFor(fault, reasons)}`
}

const reasons: FaultWords = {
  'unknown-field': (fault) => `unknown field \`${String(fault.path.at(-1))}\``,
  'missing-field': (fault) => `missing field \`${String(fault.path.at(-1))}\``,
  'wrong-type': (fault) => `invalid type: ${typeName(fault.value)}, expected ${fault.expected.join(' or ')}`,
  'wrong-value': (fault) =>
    `unknown variant \`${String(fault.value)}\`, expected one of ${fault.allowed.map((value) => `\`${value}\``).join(', ')}`,
  pattern: (fault) => `expected a string that matches the pattern '${fault.pattern}'`,
  limit: (fault) => `the ${fault.bound} of the ${fault.of === 'number' ? 'value' : 'length'} is ${fault.limit}`,
}
