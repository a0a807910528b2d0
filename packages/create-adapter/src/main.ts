#!/usr/bin/env node
import { run } from './run.ts'

// A pipe that is closed early is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
})
