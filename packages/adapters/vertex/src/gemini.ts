import { defineHttpAdapter, type Adapter } from '@steploop/core/adapter'
import { geminiCapabilities, geminiGenerate } from '@steploop/gemini'
import { connect, type GoogleCloudOptions } from './google-cloud.ts'

export type VertexOptions = GoogleCloudOptions

/**
 * Makes a factory of adapters for Gemini on Vertex AI: `createVertex({ project, location, auth })('gemini-3-flash-preview')`.
 *
 * Turns throw besides what every adapter throws: `missing-api-key` without credentials, `authentication` where there is no token,
 * `bad-request` without a project, and for a project or a location that is none.
 */
export function createVertex(options: VertexOptions = {}): (model: string) => Adapter {
  return (model) => {
    const origin = { provider: 'vertex', model }
    // Vertex refuses the switch that shows calls of Google's own tools.
    const wire = geminiGenerate({ ...origin, serverToolCalls: false })
    const { project: _project, location: _location, auth: _auth, ...rest } = options
    const capabilities = geminiCapabilities(model)
    return defineHttpAdapter(wire, { ...rest, ...origin, capabilities, ...connect(options, 'google', origin) })
  }
}

/** The default instance, for where GOOGLE_CLOUD_PROJECT is set; without `auth` its turns end in `missing-api-key`. */
export const vertex: (model: string) => Adapter = createVertex()
