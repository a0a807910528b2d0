import { existsSync } from 'node:fs'
import { bypass, HttpResponse } from 'msw'
import type { Exchange } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { writeCassette } from '../file/cassette-file.ts'
import { createRecorder, type Recorder, type RecorderOptions } from '../record/recorder.ts'

/** What `useCassette` needs to make a cassette that is missing: where requests may go, and what the header says. */
export type MissingCassette = Omit<RecorderOptions, 'fetch'>

export interface OpenRecording {
  /** The real response, recorded while it passes. */
  readonly answer: (request: Request) => Promise<Response>
  /**
   * Writes the cassette.
   *
   * @throws {CassetteError} `write-failed` for exchanges that are not complete or refuse the account, `secret-found`, and what
   * `Recorder.finish` throws; there is no file then.
   */
  readonly save: () => void
}

/** Whether the cassette has to be made: it is not there, and this is no CI, where nothing is recorded. */
export function isToRecord(path: string): boolean {
  return process.env['CI'] === undefined && !existsSync(path)
}

export function openRecording(path: string, options: MissingCassette): OpenRecording {
  const recorder = createRecorder({
    ...options,
    // Out to the network, past the interception that brought the request here.
    fetch: (input, init) => globalThis.fetch(bypass(input instanceof URL ? input.href : input, init)),
  })
  return { answer: (request) => passed(recorder, request), save: () => save(path, recorder) }
}

async function passed(recorder: Recorder, request: Request): Promise<Response> {
  let response: Response
  try {
    response = await recorder.fetch(request)
  } catch (error) {
    if (CassetteError.isInstance(error)) throw error
    // The connection failed, and the client is told so.
    return HttpResponse.error()
  }
  const { status, statusText, body } = response
  const headers = new Headers(response.headers)
  // The body is decoded already, and of unknown length.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  // Measured with MSW 3.0.5: without it a broken body would look complete.
  if (body !== null) headers.set('transfer-encoding', 'chunked')
  return new Response(body, { status, statusText, headers })
}

function save(path: string, recorder: Recorder): void {
  const cassette = recorder.finish()
  const problems = cassette.exchanges.flatMap(({ request, response }, index) => {
    const problem = problemOf(response)
    return problem === undefined ? [] : [`  exchange ${index + 1}, ${request.method} ${request.url}: ${problem}`]
  })
  if (cassette.exchanges.length > 0 && problems.length === 0) return writeCassette(path, cassette)
  const what =
    problems.length === 0
      ? 'No request was made, so there is nothing to record.'
      : `The recording is not what a test can rest on, so nothing was written:\n${problems.join('\n')}\n`
  throw new CassetteError('write-failed', { file: path, what, fix: 'Fix the cause, and run the test again.' })
}

/** 401 and 403: RFC 9110. 429: RFC 6585. They tell of the account and the moment, not of the conversation. */
const refusals: ReadonlySet<number> = new Set([401, 402, 403, 429])

function problemOf({ status, ending }: Exchange['response']): string | undefined {
  if (status === 0) return 'the connection failed'
  if (refusals.has(status)) return `status ${status}, the account was refused`
  return ending === 'reset' ? 'the connection broke' : undefined
}
