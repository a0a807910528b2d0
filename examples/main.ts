import { runCommand } from './run-command.ts'

// `pnpm example NAME | head` closes the pipe early, and that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runCommand(process.argv.slice(2), process)
