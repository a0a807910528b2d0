import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Ends the process when this one ends, by Ctrl-C too. A busy one hears no SIGTERM, and none of them has anything to put in order. */
export function endWithThis(child: ChildProcess): void {
  // One listener for all: Node warns of eleven.
  if (running.size === 0) process.on('exit', killAll)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
  })
}

function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}
