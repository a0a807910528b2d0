import { arrayOf, objectOf, textOf, type JsonObject, type Warning } from '@steploop/core/adapter'

/** Names that the AI SDK uses for what is in `Settings`. */
const settings = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
])

/** Warnings of the model, with the paths that our own have. */
export function decodeWarnings(warnings: unknown): Warning[] {
  return arrayOf(warnings).map((warning) => decodeWarning(objectOf(warning)))
}

function decodeWarning(warning: JsonObject): Warning {
  const feature = textOf(warning['feature']) ?? textOf(warning['setting'])
  const path = feature === undefined ? 'request' : settings.has(feature) ? `settings.${feature}` : feature
  const said = textOf(warning['details']) ?? textOf(warning['message'])
  const type = warning['type'] === 'unsupported' ? 'unsupported' : 'coerced'
  return { type, path, message: said ?? `The model reports \`${path}\` as ${String(warning['type'])}.` }
}
