import type { SimulatorOptions } from '@steploop/conformance/simulator'
import type { Adapter } from '@steploop/core'

/** What a program gets from `main.ts`. In your own program make the model yourself: `anthropic('claude-sonnet-4-5')`. */
export interface ExampleContext {
  readonly model: Adapter
  /** A model of another provider. */
  readonly other: Adapter
  readonly print: (line: string) => void
  /** Asks the person at the terminal; `''` when nobody is there any more. */
  readonly ask: (question: string) => Promise<string>
  /** Stay and serve (`--serve`), for programs that are servers. */
  readonly serve: boolean
}

export type Script = SimulatorOptions['script']

/** One way through a program: what the person answers, and what the models say. A program with a question has one take per answer. */
export interface Take {
  readonly answers?: readonly string[] | undefined
  readonly model: Script
  /** Turns of the other model, where the program asks it. */
  readonly other?: Script | undefined
}

export interface Example {
  /** Name on the command line, of its file and of its cassette. */
  readonly name: string
  /** One line for `--help`. */
  readonly title: string
  readonly run: (context: ExampleContext) => Promise<void>
  readonly takes: readonly Take[]
}
