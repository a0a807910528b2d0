import type { Play } from './play.ts'
import type { SimulatedRequest } from '../provider-script.ts'
import type { Reply } from './reply.ts'

/**
 * Deletes a stored response, where the provider keeps some: `DELETE /responses/{id}`
 * (https://platform.openai.com/docs/api-reference/responses/delete). `undefined` for any other request.
 */
export function removeStored(play: Play, request: SimulatedRequest): Reply | undefined {
  const { simulation, memory } = play
  const start = `${simulation.basePath}${simulation.path}/`
  const path = request.path.split('?')[0] ?? ''
  if (request.method !== 'DELETE' || simulation.remember === undefined || !path.startsWith(start)) return undefined
  const headers = { 'content-type': 'application/json' }
  const unauthorised = simulation.authorise(request.headers, play.apiKey)
  const id = decodeURIComponent(path.slice(start.length))
  const unknown = { status: 404, type: simulation.errorTypes.notFound, message: `Response with id '${id}' not found.` }
  const rejection = unauthorised ?? (memory.responses.has(id) ? undefined : unknown)
  if (rejection !== undefined) {
    const body = JSON.stringify(simulation.errorBody(rejection, play.requests))
    return { status: rejection.status, headers, body, rejection }
  }
  memory.responses.delete(id)
  return { status: 200, headers, body: JSON.stringify({ id, object: 'response', deleted: true }) }
}
