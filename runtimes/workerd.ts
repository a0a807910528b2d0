import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { endChild, startChild } from './child.ts'
import { npmBinary, taskLimit, type Runtime } from './runtime.ts'

// Without the flag `nodejs_compat`: nothing of Node is there. The network is the loopback interface only.
const configuration = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .driver), (name = "internet", network = (allow = ["local"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const driver :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [(name = "worker", esModule = embed "worker.js"), (name = "drive.js", esModule = embed "drive.js")],
);
`
const worker = `import { drive } from './drive.js'
export default { fetch: async (request) => Response.json(await drive(await request.json())) }
`

/** One server for all tasks, on a free port; a task is one POST. */
export const workerd: Runtime = {
  name: 'workerd',
  agent: /^Cloudflare-Workers/,
  async start({ module }) {
    const program = await npmBinary('workerd@1')
    const file = join(dirname(module), 'workerd.capnp')
    await writeFile(file, configuration)
    await writeFile(join(dirname(module), 'worker.js'), worker)
    const child = startChild(program, ['serve', '--control-fd=3', file])
    const port = await listeningPort(child)
    return {
      async drive(task) {
        const init = { method: 'POST', body: JSON.stringify(task), signal: AbortSignal.timeout(taskLimit) }
        const response = await fetch(`http://127.0.0.1:${port}/`, init)
        if (!response.ok) throw new Error(`workerd answered ${response.status}: ${await response.text()}`)
        const answer: unknown = await response.json()
        return answer
      },
      stop: () => Promise.resolve(endChild(child)),
    }
  },
}

/** workerd tells on the control descriptor: `{"event":"listen","socket":"http","port":40123}`. */
async function listeningPort(child: ChildProcess): Promise<string> {
  let complaints = ''
  child.stderr?.on('data', (piece: Buffer) => (complaints += String(piece)))
  const timer = setTimeout(endChild, taskLimit, child)
  try {
    for await (const piece of child.stdio[3] as AsyncIterable<Buffer>) {
      const port = /"port":\s*(\d+)/.exec(String(piece))?.[1]
      if (port !== undefined) return port
    }
    throw new Error(`workerd does not listen: ${complaints.trim()}`)
  } finally {
    clearTimeout(timer)
  }
}
