import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createNewestServer, createState } from './newest-server.ts'

const state = createState()
serveStdio(() => {
  const server = createNewestServer(state, { onGrown: () => server.sendToolListChanged() })
  return server
})
