/** Options of one model. */
export interface ModelOptions {
  /** Whether the model reasons. Default: by its name; give it for names that do not say (Azure deployments, gateways). */
  readonly reasoning?: boolean | undefined
}

/**
 * Whether a model name is that of a reasoning model: the o-series, and GPT from 5 on except its chat variants
 * (docs/wire.md#openai-responses). Gateways' prefixes (`openai/gpt-5`) and fine-tunes (`ft:o4-mini:...`) are looked through.
 */
export function isReasoningModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/^(ft|openai)[:.]/, '')
  if (/^(o\d|codex|computer-use)/.test(name)) return true
  const generation = /^gpt-(\d+)/.exec(name)?.[1]
  return (generation !== undefined && Number(generation) >= 5 && !name.includes('-chat')) || name.startsWith('gpt-oss')
}
