import { drive } from './drive.ts'
import type { Task } from './task.ts'

// The task is our own JSON, from command-runtime.ts.
const task = JSON.parse(process.argv[2] ?? '') as Task
console.log(JSON.stringify(await drive(task)))
