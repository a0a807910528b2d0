import { invalidRequest } from './failures.ts'
import type { Refusal } from '../wire-simulation.ts'

export function check(body: unknown): Refusal | undefined {
  if (typeof body !== 'object' || body === null) {
    return invalidRequest('We could not parse the JSON body of your request.')
  }
  return undefined
}
