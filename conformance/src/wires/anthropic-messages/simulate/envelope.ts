import { isObject, objectOf } from '@steploop/core/adapter'
import type { JsonObject, Rejection, SimulatedDialect } from '../../simulate/wire-simulation.ts'
import { check } from './check.ts'
import { invalidRequest } from './failures.ts'
import { inputMessages } from './input-message.ts'

export interface Envelope {
  /** The only `anthropic_version` that the cloud takes. */
  readonly version: string
  /** Whether the body, too, says that it wants a stream. */
  readonly saysStream: boolean
  /** Members of the cloud's own, which are not looked into. Default: none. */
  readonly members?: readonly string[] | undefined
}

/** What clouds change of a request: the model stands in the path, the version in the body. */
export function checkEnvelope({ version, saysStream, members = [] }: Envelope): SimulatedDialect['check'] {
  return (body, memory, named: JsonObject = {}): Rejection | undefined => {
    if (!isObject(body)) return check(body, memory)
    const { anthropic_version: given, ...own } = body
    if (given === undefined) return invalidRequest('anthropic_version: Field required')
    if (given !== version) return invalidRequest(`anthropic_version: Input should be '${version}'`)
    const extra = ['model', ...(saysStream ? [] : ['stream'])].find((name) => name in own)
    if (extra !== undefined) return invalidRequest(`${extra}: Extra inputs are not permitted`)
    if (saysStream && (own['stream'] === true) !== named['stream']) {
      return invalidRequest('stream: Input should be what the path says')
    }
    const known = Object.fromEntries(Object.entries(own).filter(([name]) => !members.includes(name)))
    return check({ ...known, model: named['model'] }, memory) ?? checkSources(own)
  }
}

/** A file comes with its bytes, as Bedrock was recorded to say. */
function checkSources(body: JsonObject): Rejection | undefined {
  for (const [at, { blocks }] of inputMessages(body).entries()) {
    const index = blocks.findIndex(({ source }) => objectOf(source)['type'] === 'url')
    const path = `messages.${at}.content.${index}.${String(blocks[index]?.['type'])}.source`
    if (index >= 0) return invalidRequest(`${path}.base64.data: URL sources are not supported`)
  }
  return undefined
}
