import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { streamedForm, workloads } from './answers.ts'

const known = [...workloads, ...workloads.map(streamedForm)]

/** Gives the answer number N of the workload W at `/W/N`, a write per chunk. A process of its own: its CPU is nobody's. */
const server = createServer((request, response) => {
  const [, id, turn] = (request.url ?? '').split('/')
  const workload = known.find((one) => one.id === id)
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': workload?.stream ? 'text/event-stream' : 'application/json' })
    for (const chunk of workload?.answers[Number(turn)] ?? []) response.write(chunk)
    response.end()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
process.send?.(`http://127.0.0.1:${port}`)
process.once('disconnect', () => {
  server.closeAllConnections()
  server.close()
})
