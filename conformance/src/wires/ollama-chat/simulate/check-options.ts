import { objectAt } from '../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { refused, silentlyIgnored } from './failures.ts'

type Kind = 'integer' | 'float32' | 'boolean' | 'array'

/** https://docs.ollama.com/modelfile#valid-parameters-and-values, and the older ones that the package `ollama` still names. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...each('integer', 'num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'num_keep', 'num_predict'),
  ...each('integer', 'seed', 'top_k', 'repeat_last_n', 'mirostat'),
  ...each('float32', 'temperature', 'top_p', 'min_p', 'tfs_z', 'typical_p', 'repeat_penalty'),
  ...each('float32', 'presence_penalty', 'frequency_penalty', 'mirostat_tau', 'mirostat_eta'),
  ...each('boolean', 'numa', 'low_vram', 'f16_kv', 'logits_all', 'vocab_only', 'use_mmap', 'use_mlock'),
  ...each('boolean', 'embedding_only', 'penalize_newline'),
  ...each('array', 'stop'),
])

function each(kind: Kind, ...names: readonly string[]): readonly (readonly [string, Kind])[] {
  return names.map((name) => [name, kind])
}

/** An option of a wrong type is refused when the model is loaded, and so with a 500; an unknown one is only logged. */
export function checkOptions(request: JsonObject): Rejection | undefined {
  for (const [name, value] of Object.entries(objectAt(request, 'options'))) {
    const kind = kinds.get(name)
    if (kind === undefined) return silentlyIgnored(`unknown option '${name}'`)
    if (value === null) return silentlyIgnored(`option '${name}' is null`)
    if (!fits(value, kind)) return refused(`option "${name}" must be of type ${kind}`, 500)
    if (kind === 'integer' && !Number.isInteger(value)) return silentlyIgnored(`option '${name}' loses its fraction`)
    if (Array.isArray(value) && !value.every((item) => typeof item === 'string')) {
      return refused(`option "${name}" must be of an array of strings`, 500)
    }
  }
  return undefined
}

function fits(value: unknown, kind: Kind): boolean {
  if (kind === 'array') return Array.isArray(value)
  return typeof value === (kind === 'boolean' ? 'boolean' : 'number')
}
