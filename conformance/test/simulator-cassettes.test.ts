import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'

import { readCassette, type Cassette } from '@steploop/cassette'
import { simulatedWire } from '@steploop/conformance/simulator'
import { expect, test } from 'vitest'

import { scenarios } from '../src/scenarios/index.ts'
import { bytesOf } from '../src/wires/simulate/body-bytes.ts'
import { reply, type Play } from '../src/simulator/play.ts'

const folder = resolve(import.meta.dirname, '../../cassettes')

/** Those of real servers, and of examples, are of no scenario that the simulator plays. */
const names = readdirSync(folder).filter((name) => {
  const path = resolve(folder, name, 'text-only.stream.yaml')
  return existsSync(path) && readCassette(path).header.origin.kind === 'simulated'
})

/** Where the address of a provider ends, and that of an endpoint begins. */
const endpoint = /\/(?:responses|chat\/completions|messages|models?\/|api\/chat|chat$).*/

/** What the simulator says today to the requests of a cassette, as far as the client has read it. */
function saidTo({ header, exchanges }: Cassette, script: Play['script']) {
  const simulation = simulatedWire(header.wire, exchanges[0]?.request.url)
  const play: Play = {
    simulation,
    script,
    memory: { responses: new Map(), items: new Map() },
    position: 0,
    requests: 0,
  }
  return exchanges.map(({ request, response }) => {
    const { pathname, search } = new URL(request.url)
    const path = `${simulation.basePath}${endpoint.exec(pathname + search)?.[0]}`
    const { status, headers, body } = reply(play, { ...request, path, text: new TextDecoder().decode(request.body) })
    const isRead = response.ending !== 'abort'
    const bytes = Buffer.from(bytesOf(body)).subarray(0, isRead ? undefined : response.body.length)
    return { status, headers, text: bytes.toString('latin1') }
  })
}

function heldBy({ exchanges }: Cassette) {
  return exchanges.map(({ response: { status, headers, body } }) => {
    return { status, headers, text: Buffer.from(body).toString('latin1') }
  })
}

test.each(names)('the simulator says byte by byte what the cassettes of %s hold of it', { timeout: 60_000 }, (name) => {
  for (const file of readdirSync(resolve(folder, name))) {
    if (!file.endsWith('.yaml')) continue
    const cassette = readCassette(resolve(folder, name, file))
    const { origin, scenario } = cassette.header
    if (origin.kind !== 'simulated') continue
    const { script } = scenarios.find(({ id }) => id === scenario)!
    expect({ file, exchanges: saidTo(cassette, script) }).toMatchObject({ file, exchanges: heldBy(cassette) })
  }
})
