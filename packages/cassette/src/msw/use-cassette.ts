import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { http, type HttpHandler, passthrough } from 'msw'
import { setupServer, type SetupServer } from 'msw/node'
import type { Cassette } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { openReplay } from '../replay/open-replay.ts'
import { createReplay, type Replay, type ReplayOptions } from '../replay/replay.ts'
import { answerRawRequests } from './raw-requests.ts'
import { isToRecord, openRecording, type MissingCassette, type OpenRecording } from './record-missing.ts'
import { answersOrigin, mockedResponse, refusedResponse } from './cassette-handlers.ts'

export interface UseCassetteOptions extends ReplayOptions {
  /** Requests that may reach the network all the same, such as a database on this machine. Default: none. */
  readonly passthrough?: ((url: URL) => boolean) | undefined
  /**
   * Makes the cassette when there is no such file: requests below its public base URL reach the network, are recorded, and are written
   * at the end of the `using` block. Everything else is denied as ever. With the file there, and under CI, it is replayed. Default: a
   * missing file is an error.
   */
  readonly recordMissing?: MissingCassette | undefined
}

export interface UsedCassette {
  /** Replay of the cassette; while a missing one is recorded, a replay of nothing, which holds what was refused. */
  readonly replay: Replay
  /** A missing cassette is being recorded. */
  readonly isRecording: boolean
  /** Runs the callback, and all that it starts, with this cassette: for tests that run at the same time. */
  readonly run: <Result>(callback: () => Result) => Result
  /** Stops answering. Requests are real again when no cassette is in use any more. */
  readonly close: () => void
  /**
   * Closes, and says what is wrong; called at the end of a block by `using cassette = useCassette(...)`. A cassette that was recorded is
   * written, unless a request was refused: to refuse one's own, `close` it before.
   *
   * @throws {CassetteError} the first refused request, `unconsumed`, or what writing throws.
   */
  readonly [Symbol.dispose]: () => void
}

interface Use {
  readonly replay: Replay
  readonly options: UseCassetteOptions
  readonly recording: OpenRecording | undefined
}

const current = new AsyncLocalStorage<Use | undefined>()
const open = new Set<Use>()
let server: SetupServer | undefined
let stopRawRequests: (() => void) | undefined

/**
 * Answers `fetch`, `node:http`, `node:https`, undici and what builds on them from a cassette, and denies all other HTTP, until it is closed.
 * Works in any test runner. Tests that run at the same time do not see each other's cassettes: each calls `useCassette` inside its own
 * async function, or `run`. Uses MSW's `setupServer`, of which a process can have one: a project that has its own uses `cassetteHandlers`.
 *
 * A process that ends with unconsumed exchanges says so and fails.
 *
 * @throws {CassetteError} what reading the file throws.
 */
export function useCassette(source: Cassette | string, options: UseCassetteOptions = {}): UsedCassette {
  const use = openUse(source, options)
  if (open.size + holds === 0) start()
  open.add(use)
  current.enterWith(use)
  const close = (): void => {
    if (!open.delete(use)) return
    if (current.getStore() === use) current.enterWith(undefined)
    if (open.size + holds === 0) stop()
  }
  return {
    replay: use.replay,
    isRecording: use.recording !== undefined,
    run: (callback) => current.run(use, callback),
    close,
    [Symbol.dispose]: () => {
      const isOpen = open.has(use)
      close()
      use.replay.assertConsumed()
      if (isOpen) use.recording?.save()
    },
  }
}

let holds = 0

/**
 * Keeps the network intercepted until the function that it gives is called, so that cassettes which are used one after the other need not begin
 * anew: requests outside of any are denied.
 */
export function holdNetwork(): () => void {
  if (open.size + holds === 0) start()
  holds++
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    holds--
    if (open.size + holds === 0) stop()
  }
}

function openUse(source: Cassette | string, options: UseCassetteOptions): Use {
  const { recordMissing } = options
  if (recordMissing === undefined || typeof source !== 'string' || !isToRecord(source)) {
    return { replay: openReplay(source, options), options, recording: undefined }
  }
  const { by } = recordMissing.header.origin
  const origin = { by, kind: 'live', date: '2000-01-01' } as const
  const nothing: Cassette = { header: { ...recordMissing.header, origin }, exchanges: [] }
  const recording = openRecording(source, recordMissing)
  return { replay: createReplay(nothing, { ...options, fileName: source }), options, recording }
}

function start(): void {
  server ??= setupServer(catchAll())
  // All of HTTP meets the handler. A function for the rest, because under 'error' MSW lets through what looks like an asset.
  server.listen({ onUnhandledFrame: () => Promise.reject(denied('A connection that is not HTTP')) })
  // `import { request } from 'node:http'` holds the function from before MSW replaced it, and would reach the network.
  syncBuiltinESMExports()
  stopRawRequests = answerRawRequests(answer)
  process.on('exit', reportOpen)
}

function stop(): void {
  stopRawRequests?.()
  server?.close()
  syncBuiltinESMExports()
  process.off('exit', reportOpen)
}

function catchAll(): HttpHandler {
  return http.all(
    () => true,
    async ({ request }) => (await answer(request)) ?? passthrough(),
  )
}

/** The response to any request while a cassette is in use; undefined for one that may reach the network. */
async function answer(request: Request): Promise<Response | undefined> {
  const url = new URL(request.url)
  const use = usedBy()
  if (use?.options.passthrough?.(url) === true) return undefined
  if (use === undefined) return refusedEverywhere(url)
  if (use.recording !== undefined) return recorded(use.recording, use.replay, request)
  if (answersOrigin(use.replay, request.url)) return mockedResponse(use.replay, request, use.options)
  return refusedResponse(use.replay.refuse(denied(`${request.method} ${url.origin}${url.pathname}`)))
}

async function recorded(recording: OpenRecording, replay: Replay, request: Request): Promise<Response> {
  try {
    return await recording.answer(request)
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    return refusedResponse(replay.refuse(error))
  }
}

/** The cassette of the test that made the request; outside of any, the only open one. */
function usedBy(): Use | undefined {
  const use = current.getStore()
  if (use !== undefined && open.has(use)) return use
  const [only, ...others] = open
  return others.length === 0 ? only : undefined
}

// It is not known whose request it is, so every test that might have made it fails.
function refusedEverywhere(url: URL): Response {
  const error = new CassetteError('network-denied', {
    what: `A request to ${url.origin}${url.pathname} belongs to none of the ${open.size} cassettes in use.`,
    fix: 'Make it inside the run() of one of them.',
  })
  for (const { replay } of open) replay.refuse(error)
  return refusedResponse(error)
}

function denied(what: string): CassetteError {
  return new CassetteError('network-denied', {
    what: `${what} would leave for the network, which is denied while a cassette is in use.`,
    fix: 'Record it into the cassette, or allow it with the option passthrough.',
  })
}

function reportOpen(): void {
  for (const { replay, recording } of open) {
    if (recording !== undefined) {
      process.stderr.write(`cassette "${replay.cassette.header.scenario}": the process ends before it was written.\n`)
      continue
    }
    const left = replay.unconsumed().length
    if (left === 0) continue
    const { scenario } = replay.cassette.header
    process.stderr.write(`cassette "${scenario}": the process ends with ${left} unconsumed exchanges.\n`)
    if (process.exitCode === undefined || process.exitCode === 0) process.exitCode = 1
  }
}
