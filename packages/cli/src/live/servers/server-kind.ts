/** A kind of server that others wrote, which is started here with weights of ours. */
export interface ServerKind {
  readonly name: string
  /** For the header of cassettes: `llama-server 0.7.0 (build 11669)`. */
  readonly version: string
  /** Wire formats that are recorded from it. */
  readonly wires: readonly string[]
  /** Wire formats that it speaks besides, and that another server shows as well. */
  readonly alsoSpeaks: readonly string[]
  /** Whether it may fail for once, as a gateway does whose kept connection the server closes just then. Default false. */
  readonly isFlaky?: boolean | undefined
  /** Starts one on loopback, and does not wait for it. */
  readonly launch: (options: LaunchOptions) => Promise<RunningServer>
}

export interface LaunchOptions {
  /** Bytes of a GGUF file. */
  readonly weights: Uint8Array
  readonly apiKey?: string | undefined
  /** The port of one that was ended, so that its address holds. Default: a free one. */
  readonly port?: number | undefined
}

export interface RunningServer {
  /** Without a path. */
  readonly url: string
  readonly port: number
  /**
   * Resolves when it can answer.
   *
   * @throws {HarnessError} `usage` when it ends or hangs before that, with the last thing that it said
   */
  readonly ready: () => Promise<void>
  /** Whether it writes an answer. */
  readonly isBusy: () => Promise<boolean>
  /** Ends it as a crash does. Resolves when its processes and files are gone. */
  readonly kill: () => Promise<void>
}

/** Starts one, and waits until it can answer. */
export async function startServer(kind: ServerKind, options: LaunchOptions): Promise<RunningServer> {
  const server = await kind.launch(options)
  await server.ready()
  return server
}
