/** Preloaded into a server that listens everywhere: it listens on loopback, at a free port, and says which. */
import { Server, type AddressInfo } from 'node:net'

const { prototype } = Server
const listen = Reflect.get(prototype, 'listen') as (
  this: Server,
  port: number,
  host: string,
  ...rest: unknown[]
) => Server

Object.assign(prototype, {
  listen(this: Server, _port: unknown, ...rest: unknown[]) {
    this.once('listening', () => process.stderr.write(`listening at ${(this.address() as AddressInfo).port}\n`))
    return listen.call(this, 0, '127.0.0.1', ...rest)
  },
})
