import { anthropicCapabilities, anthropicMessages } from '@steploop/anthropic'
import { defineHttpAdapter, type Adapter } from '@steploop/core/adapter'
import { connect, type GoogleCloudOptions } from './google-cloud.ts'

/** `betas` beside those of `createVertex`. */
export interface VertexClaudeOptions extends GoogleCloudOptions {
  /** Beta features of Anthropic's, sent as `anthropic-beta`; `providerOptions['vertex-claude'].betas` adds to them. */
  readonly betas?: readonly string[] | undefined
}

/**
 * Makes a factory of adapters for Claude on Vertex AI (`rawPredict`): `createVertexClaude({ project, location, auth })('claude-sonnet-4-5@20250929')`.
 * `provider` is `vertex-claude`, and what stands in `providerOptions` under that name is what Anthropic takes. Throws as `createVertex`.
 */
export function createVertexClaude(options: VertexClaudeOptions = {}): (model: string) => Adapter {
  const { project: _project, location: _location, auth: _auth, betas, ...rest } = options
  return (model) => {
    const origin = { provider: 'vertex-claude', model }
    const wire = anthropicMessages({
      ...origin,
      betas,
      cloud: {
        version: 'vertex-2023-10-16',
        path: (mode) => `/models/${modelInPath(model)}:${mode === 'stream' ? 'streamRawPredict' : 'rawPredict'}`,
      },
    })
    const capabilities = anthropicCapabilities(model)
    return defineHttpAdapter(wire, { ...rest, ...origin, capabilities, ...connect(options, 'anthropic', origin) })
  }
}

/** The version stands behind an `@`, which a path may hold. */
function modelInPath(model: string): string {
  return encodeURIComponent(model).replaceAll('%40', '@')
}
