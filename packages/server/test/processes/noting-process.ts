import { serve } from '@steploop/server/node'
import { sqliteStore } from '@steploop/store/sqlite'
import { notingServer } from '../noting-server.ts'

/** `noting-process.ts DATABASE LOG [MOMENT]`: a server that is killed at that moment. Prints its base URL. */
const [path = '', log = '', killAt = '0'] = process.argv.slice(2)
let moments = 0
const moment = (): void => {
  if (++moments === Number(killAt)) process.kill(process.pid, 'SIGKILL')
}
const { baseURL } = await serve({ ...notingServer({ store: await sqliteStore({ path }), log, moment }), port: 0 })
process.stdout.write(`${baseURL}\n`)
