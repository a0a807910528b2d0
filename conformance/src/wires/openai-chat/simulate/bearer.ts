import type { Rejection, WireSimulation } from '../../simulate/wire-simulation.ts'

/** Wants a bearer token; refuses a missing one and a wrong one alike. */
export function bearerKey(unauthorised: Rejection): WireSimulation['authorise'] {
  return (headers, apiKey) => {
    const key = /^Bearer\s+(\S+)$/.exec(headers['authorization'] ?? '')?.[1]
    return key === undefined || (apiKey !== undefined && key !== apiKey) ? unauthorised : undefined
  }
}
