import type {
  AuthProvider,
  ElicitRequest,
  ElicitResult,
  OAuthClientProvider,
  SpecTypes,
  ToolAnnotations,
  Transport,
} from '@modelcontextprotocol/client'

/** A server behind streamable HTTP. */
export interface HttpServer {
  readonly url: string | URL
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The SDK's: `{ token }`, or an OAuth client provider. */
  readonly authProvider?: AuthProvider | OAuthClientProvider | undefined
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined
}

/** Any transport of the SDK. A function gives a new one for each connection; a transport itself is good for one. */
export interface TransportServer {
  readonly transport: Transport | (() => Transport | Promise<Transport>)
}

export type McpServer = HttpServer | TransportServer

/** A tool as its server describes it. None of it is more than the server's word. */
export interface McpToolInfo {
  /** The server's own, without `prefix`. */
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations: Readonly<ToolAnnotations>
}

/** The call on whose behalf a server asks something. Its names are absent where several calls are under way: the server does not say which. */
export interface McpCall {
  readonly toolCallId?: string | undefined
  readonly toolName?: string | undefined
  readonly input?: unknown
  /** Aborted when the answer is not awaited any more. */
  readonly signal: AbortSignal
}

export interface McpWarning {
  readonly type: 'tool-left-out' | 'text-cleaned' | 'schema-ignored' | 'invalid-result' | 'hook-failed'
  /** The server's own name of the tool. */
  readonly toolName?: string | undefined
  readonly message: string
}

/** What an older server asks a model. */
export type SampleRequest = SpecTypes['CreateMessageRequest']['params']
export type SampleResult = SpecTypes['CreateMessageResult']

export type Warn = (warning: McpWarning) => void

export interface McpOptions {
  /** The server's name in messages. Default: what it calls itself. */
  readonly name?: string | undefined
  /** Set before the name of every tool: `prefix: 'files_'` makes `files_read`. */
  readonly prefix?: string | undefined
  /**
   * Which calls wait for an approval. `destructive`: those of tools that do not say of themselves that they only read, or destroy nothing. A
   * function is asked like `needsApproval`: anything but a plain `false` asks. Default `destructive`.
   */
  readonly approve?:
    | 'destructive'
    | 'always'
    | 'never'
    | ((tool: McpToolInfo, input: Readonly<Record<string, unknown>>) => boolean | Promise<boolean>)
    | undefined
  /** True: tools that say that they only read have `effect: 'read'`, so that they may start early, be cached and be shared. Default false. */
  readonly trust?: boolean | undefined
  /** What `pins()` gave. Tools that have changed since, or are new, are left out. */
  readonly pins?: Readonly<Record<string, string>> | undefined
  /** Whether such a tool is left out with a warning, or `tools()` throws `pin-mismatch`. Default `omit`. */
  readonly onPinMismatch?: 'omit' | 'throw' | undefined
  /** The server has told that its tools have changed: the next `tools()` asks for them. May be async. */
  readonly onToolsChanged?: (() => unknown) | undefined
  /** Answers what a server asks the user. Default: declines. */
  readonly onElicit?:
    | ((request: ElicitRequest['params'], call: McpCall) => ElicitResult | Promise<ElicitResult>)
    | undefined
  /** Asks a model on behalf of a server of the older protocol. Default: servers are told that nobody does. */
  readonly onSample?: ((request: SampleRequest, call: McpCall) => SampleResult | Promise<SampleResult>) | undefined
  /** Told of each warning once; `warnings` has them too. May be async. */
  readonly onWarning?: ((warning: McpWarning) => unknown) | undefined
  /** Milliseconds per call. Default: the loop's `toolTimeout`; 0: none. */
  readonly timeout?: number | undefined
  /** True: progress that the server tells starts the time of its call anew, up to `maxTotalTimeout`. Default false. */
  readonly resetTimeoutOnProgress?: boolean | undefined
  /** Milliseconds that such a call may take in all. Default 600,000. */
  readonly maxTotalTimeout?: number | undefined
  /** Milliseconds for each request on the way to a connection, and for each page of tools. Default 30,000. */
  readonly connectTimeout?: number | undefined
  /** Pages of tools that are asked for before `tools()` throws `too-many-pages`. Default 500. */
  readonly listMaxPages?: number | undefined
  /** `auto`: the server's newest, found out by asking. `legacy`: a server of before 2026-07-28, which is not asked first. Default `auto`. */
  readonly protocol?: 'auto' | 'legacy' | { readonly pin: string } | undefined
}
