import { runChild } from './child.ts'
import { npmBinary, taskLimit, type Runtime } from './runtime.ts'

export interface CommandRuntimeOptions extends Pick<Runtime, 'name' | 'agent'> {
  /** npm package with the program of the same name, and its major version. */
  readonly packageName: string
  /** Before the script. */
  readonly parameters?: readonly string[] | undefined
}

/** A runtime that is started once per task: `PROGRAM [PARAMETERS] SCRIPT TASK`. */
export function commandRuntime({ name, agent, packageName, parameters = [] }: CommandRuntimeOptions): Runtime {
  return {
    name,
    agent,
    async start({ processEntry }) {
      const program = await npmBinary(packageName)
      return {
        async drive(task) {
          const all = [...parameters, processEntry, JSON.stringify(task)]
          const answer: unknown = JSON.parse(await runChild(program, all, { timeLimit: taskLimit }))
          return answer
        },
        stop: () => Promise.resolve(),
      }
    },
  }
}
