import type { AdapterErrorCode } from './adapter.ts'
import type { ErrorFacts } from './wire-format.ts'
import type { ToolCallPart } from './messages.ts'
import type { Transcript } from './transcript.ts'
import type { Usage } from './usage.ts'
import type { Step } from './step.ts'

/** `AdapterError`: one turn failed. `LoopError`: a run failed; it carries the transcript so far. */
export type LoopErrorCode =
  | 'turn-failed'
  | 'aborted'
  | 'timeout'
  | 'max-steps'
  | 'max-tool-calls'
  | 'budget'
  | 'repeated-call'
  | 'tool-failed'
  | 'invalid-input'
  | 'invalid-output'
  | 'invalid-history'
  | 'invalid-transcript'
  | 'transcript-version'
  | 'hook-failed'
  | 'duplicate-tool'
  | 'invalid-options'
  | 'adapter-contract'

/** Marks our errors across copies of the package: `instanceof` fails when two versions are installed. */
const marker = Symbol.for('steploop.error')

/** Base of all errors of the loop and the adapters. */
export class StepLoopError<Code extends string = string> extends Error {
  static {
    Object.defineProperty(this.prototype, marker, { value: true })
  }

  declare readonly code: Code

  constructor(code: Code, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StepLoopError'
    this.code = code
  }

  /** True for errors of any installed copy of this package, subclasses included. */
  static isInstance(value: unknown): value is StepLoopError {
    return isMarked(value)
  }
}

export interface AdapterErrorOptions extends ErrorFacts {
  readonly provider: string
  readonly model: string
  /** HTTP status, where there was a response. */
  readonly status?: number | undefined
  /** The beginning of what could not be read, at most 200 characters. */
  readonly excerpt?: string | undefined
  /** What happened, for a person; built from the facts if absent. */
  readonly message?: string | undefined
  /** Text of the refusal, in place of `message`: the whole of it, at most 4000 characters, with what to do about it. */
  readonly refusal?: string | undefined
  readonly cause?: unknown
}

/** One turn failed. `retryable` says whether asking again may help, `retryAfterMs` when. */
export class AdapterError extends StepLoopError<AdapterErrorCode> {
  declare readonly provider: string
  declare readonly model: string
  declare readonly status: number | undefined
  declare readonly retryable: boolean
  /** Milliseconds. */
  declare readonly retryAfterMs: number | undefined
  declare readonly requestId: string | undefined
  /** The provider's own words, at most 1000 characters. */
  declare readonly providerMessage: string | undefined
  declare readonly excerpt: string | undefined

  constructor(options: AdapterErrorOptions) {
    super(options.code, adapterMessage(options), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AdapterError'
    this.provider = options.provider
    this.model = options.model
    this.status = options.status
    this.retryable = options.retryable ?? retryableCodes.has(options.code)
    this.retryAfterMs = options.retryAfterMs
    this.requestId = options.requestId
    this.providerMessage = options.providerMessage?.slice(0, messageLength)
    this.excerpt = options.excerpt?.slice(0, excerptLength)
    uncut.set(
      this,
      changed(options, (text) => text.slice(0, roughLength)),
    )
  }

  static override isInstance(value: unknown): value is AdapterError {
    return isMarked(value) && value.name === 'AdapterError'
  }
}

interface LoopErrorOptions extends Partial<
  Pick<LoopError, 'transcript' | 'step' | 'steps' | 'usage' | 'toolCall' | 'partialText'>
> {
  readonly cause?: unknown
}

/** A run failed. `transcript` is what was reached, paired and resumable; `cause` is what made it fail. */
export class LoopError extends StepLoopError<LoopErrorCode> {
  /** `undefined` only when the run failed before it had a history (bad options, a damaged transcript). */
  declare readonly transcript: Transcript | undefined
  /** Number of the step that failed, from 0. */
  declare readonly step: number | undefined
  /** Steps that were finished before the failure. */
  declare readonly steps: readonly Step[]
  /** Usage of all turns so far; `undefined` when none had usage. */
  declare readonly usage: Usage | undefined
  /** The call whose tool failed (`tool-failed`). */
  declare readonly toolCall: ToolCallPart | undefined
  /**
   * What the turn that was aborted, or failed, had said; it is not in `transcript`. To keep it, go on from the transcript with
   * `messages: [{ role: 'assistant', content: partialText }]`. `undefined`: nothing.
   */
  declare readonly partialText: string | undefined

  constructor(code: LoopErrorCode, message: string, options: LoopErrorOptions = {}) {
    super(code, message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LoopError'
    this.transcript = options.transcript
    this.step = options.step
    this.steps = options.steps ?? []
    this.usage = options.usage
    this.toolCall = options.toolCall
    this.partialText = options.partialText
  }

  static override isInstance(value: unknown): value is LoopError {
    return isMarked(value) && value.name === 'LoopError'
  }
}

const messageLength = 1000
const excerptLength = 200
/** Characters: as many as a list of what a cassette holds and what was asked. */
const refusalLength = 4000
/** How much of a text is looked at for secrets before it is cut: no more of it is ever shown. */
const roughLength = 10_000

const textNames = ['message', 'refusal', 'providerMessage', 'excerpt'] as const

type Texts = Partial<Pick<AdapterErrorOptions, (typeof textNames)[number]>>

/** What the texts of an error were made from. */
const uncut = new WeakMap<AdapterError, Texts>()

function changed(texts: Texts, change: (text: string) => string): Texts {
  return Object.fromEntries(
    textNames.flatMap((name) => (typeof texts[name] === 'string' ? [[name, change(texts[name])]] : [])),
  )
}

/** The texts of the error, made again from what `hide` gives, and cut then. Those of another copy of this package are taken as they are. */
export function rebuildMessage(
  error: AdapterError,
  hide: (text: string) => string,
): Pick<AdapterError, 'message' | 'providerMessage' | 'excerpt'> {
  const { provider, model, code, status, providerMessage, excerpt } = error
  const known = uncut.get(error)
  const texts = changed(known ?? { providerMessage, excerpt }, hide)
  return {
    message: hide(known === undefined ? error.message : adapterMessage({ provider, model, code, status, ...texts })),
    providerMessage: texts.providerMessage?.slice(0, messageLength),
    excerpt: texts.excerpt?.slice(0, excerptLength),
  }
}

const retryableCodes: ReadonlySet<AdapterErrorCode> = new Set<AdapterErrorCode>([
  'rate-limit',
  'overloaded',
  'server-error',
  'connection',
  'timeout',
  'incomplete-stream',
  'malformed-response',
  'empty-response',
])

/** Per code: what happened, and how to fix it. */
const explanations: Readonly<Record<AdapterErrorCode, readonly [what: string, fix: string]>> = {
  'missing-api-key': ['no API key was given', 'Pass `apiKey` to the factory or set its environment variable.'],
  authentication: ['the API key was refused', 'Check the key and its account.'],
  permission: ['the key may not do this', 'Ask for access, or use another key.'],
  'not-found': ['the model or resource does not exist', 'Check the model id and the base URL.'],
  'bad-request': ['the provider refused the request', 'Change it; retrying will not help.'],
  'context-overflow': ['the conversation is too long for the model', 'Shorten it or use a larger model.'],
  'content-filter': ['a content filter stopped the request', 'Change the input.'],
  'rate-limit': ['a rate limit was hit', 'Wait for `retryAfterMs`, or lower the load.'],
  'insufficient-credit': ['the account has no credit left', 'Add credit; retrying will not help.'],
  overloaded: ['the provider is overloaded', 'Try again later or use a fallback model.'],
  'server-error': ['the provider failed', 'Try again; report `requestId` if it persists.'],
  connection: ['the connection failed', 'Check the network and the base URL.'],
  timeout: ['the provider did not answer in time', 'Try again or raise the timeout.'],
  aborted: ['the request was aborted', 'Nothing to fix: the caller asked for it.'],
  'incomplete-stream': ['the stream ended before its end was announced', 'Try again.'],
  'malformed-response': ['the response cannot be read', 'Check the base URL.'],
  'empty-response': ['the response is empty', 'Try again; check the base URL if it persists.'],
  'response-too-large': ['the response is larger than the limit', 'Raise `maxResponseBytes`.'],
  'tool-use-failed': [
    'the model wrote a call that the provider could not parse',
    'Hand the failure back to the model.',
  ],
  'continuation-not-found': ['the provider no longer has the earlier response', 'Send the full history.'],
  unsupported: ['the provider cannot do this', 'See the capabilities of the adapter.'],
  unknown: ['the request failed', 'Read the provider message.'],
}

function adapterMessage(options: AdapterErrorOptions): string {
  if (options.refusal !== undefined) {
    return `${options.provider}/${options.model}: ${options.refusal.slice(0, refusalLength)}`
  }
  const [what, fix] = explanations[options.code]
  const status = options.status === undefined ? '' : ` (HTTP ${options.status})`
  const said = options.providerMessage
    ? ` Provider message: ${sentence(options.providerMessage.slice(0, messageLength))}`
    : ''
  const excerpt = options.excerpt ? ` Received: ${options.excerpt.slice(0, excerptLength)}` : ''
  const words = `${options.message?.slice(0, messageLength) ?? what}${status}.${said}${excerpt} ${fix}`
  return `${options.provider}/${options.model}: ${printable(words)}`
}

/** What a provider sends may hold bytes that a terminal obeys. */
function printable(text: string): string {
  return text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function sentence(text: string): string {
  const words = text.trimEnd()
  return /[.!?:\u2026]$/.test(words) ? words : `${words}.`
}

function isMarked(value: unknown): value is StepLoopError {
  try {
    return value instanceof Error && Reflect.get(value, marker) === true
  } catch {
    // A proxy may be thrown, too.
    return false
  }
}
