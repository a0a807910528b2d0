/** What differs between Claude models in requests. Source: the vendor's model pages and thinking guide, as of November 2026. */
export interface ModelTraits {
  /** `max_tokens` when the caller sets no limit. The API requires the field. */
  readonly defaultMaxTokens: number
  /** `budget`: `thinking.type: enabled` with a token budget; `adaptive`: the model decides, `output_config.effort` steers. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** What `reasoning: 'none'` has to send. `never`: the model always thinks and refuses to be told otherwise. */
  readonly thinkingOff: 'nothing' | 'disabled' | 'between_tools' | 'never'
  /** `tool_choice` of type `any` and `tool`. */
  readonly forcedToolChoice: boolean
  /** `temperature`, `top_p`, `top_k`; newer models answer 400 to them. */
  readonly sampling: boolean
  /** `temperature` and `top_p` in one request. */
  readonly temperatureWithTopP: boolean
  /** `output_config.format`. */
  readonly structured: boolean
}

/**
 * Reads family and version out of a model id, in any of the spellings in use: `claude-sonnet-4-5-20250929`, `claude-3-5-haiku-latest`,
 * `us.anthropic.claude-opus-4-8`, `anthropic/claude-sonnet-4.5`. A model that is no Claude (gateways) gets cautious values.
 */
export function modelTraits(model: string): ModelTraits {
  const known = versionOf(model)
  if (known === undefined) return otherModel
  const { family, version } = known
  return {
    defaultMaxTokens: defaultMaxTokens(version),
    thinking: version < 307 ? 'none' : version < 406 ? 'budget' : 'adaptive',
    thinkingOff: thinkingOff(family, version),
    forcedToolChoice: !(family === 'opus' ? version >= 505 : isAlwaysThinking(family) && version >= 501),
    sampling: version < 407,
    temperatureWithTopP: version < 401,
    structured: version >= 405,
  }
}

/** Served by a gateway in this wire format: what any server of the format takes. */
const otherModel: ModelTraits = {
  defaultMaxTokens: 8192,
  thinking: 'budget',
  thinkingOff: 'nothing',
  forcedToolChoice: true,
  sampling: true,
  temperatureWithTopP: true,
  structured: false,
}

/** Within each model's output limit (4,096; 8,192; 32,000 to 64,000; 64,000 to 128,000). */
function defaultMaxTokens(version: number): number {
  if (version < 305) return 4096
  if (version < 307) return 8192
  return version < 405 ? 32_000 : 64_000
}

function thinkingOff(family: string | undefined, version: number): ModelTraits['thinkingOff'] {
  if (isAlwaysThinking(family)) return 'never'
  if (version < 500) return 'nothing'
  if (version < 505 || family === 'haiku') return 'disabled'
  return family === 'sonnet' ? 'between_tools' : 'never'
}

function isAlwaysThinking(family: string | undefined): boolean {
  return family === 'fable' || family === 'mythos'
}

const familyFirst = /claude-(?<family>[a-z]+)-(?<major>\d{1,2})(?!\d)(?:[-.](?<minor>\d{1,2})(?!\d))?/
const versionFirst = /claude-(?<major>\d)(?:[-.](?<minor>\d)(?!\d))?(?:-(?<family>[a-z]+))?/

/** The version as major times 100 plus minor. */
function versionOf(model: string): { readonly family: string | undefined; readonly version: number } | undefined {
  const name = model.toLowerCase()
  if (name.includes('claude-mythos-preview')) return { family: 'mythos', version: 500 }
  const { family, major, minor = 0 } = (familyFirst.exec(name) ?? versionFirst.exec(name))?.groups ?? {}
  return major === undefined ? undefined : { family, version: Number(major) * 100 + Number(minor) }
}
