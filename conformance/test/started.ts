import { onTestFinished } from 'vitest'
import { startSimulator, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'

/** A simulator that closes when the test is over. */
export async function started(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options)
  onTestFinished(() => simulator.close())
  return simulator
}

/** `path` from the simulator's base URL on. */
export function post(
  simulator: Simulator,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = { authorization: 'Bearer good' },
): Promise<Response> {
  return fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
