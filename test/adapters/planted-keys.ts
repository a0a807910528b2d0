import { inspect } from 'node:util'

/** A key as providers make them; every location gets it. */
export const key = 'sk-live-0123456789abcdefghijklmnop'

/** Headers with the key among others. */
export const basic = `Basic ${btoa(`gateway:${key}`)}`

/** A client's error that keeps what it sent where nobody sees it, until it is printed. */
class PrivateError extends Error {
  readonly #sent: unknown

  constructor(sent: unknown) {
    super('failed')
    this.#sent = sent
  }

  get sent(): unknown {
    return this.#sent
  }

  [inspect.custom](): string {
    return `PrivateError ${inspect(this.#sent)}`
  }
}

class TalkativeError extends Error {
  readonly #text: string

  constructor(text: string) {
    super('failed')
    this.#text = text
  }

  toJSON(): unknown {
    return { said: this.#text }
  }

  override toString(): string {
    return this.#text
  }
}

/** What a `fetch` may throw, each with the key in it. `said` is a text that holds the key. */
export const failures: Readonly<Record<string, (said: string) => unknown>> = {
  'an error whose message says it': (said) => new TypeError(`fetch failed, sent ${said}`),
  'an error whose cause says it': (said) => new TypeError('fetch failed', { cause: new Error(said) }),
  'an error with the request': (said) =>
    Object.assign(new Error('HTTPError'), {
      request: new Request('https://x.example', { headers: { 'x-said': said.replaceAll(/[\r\n]/g, ' ') } }),
    }),
  'an error with a response': (said) =>
    Object.assign(new Error('HTTPError'), { response: Response.json({}, { headers: { 'x-said': encodeURI(said) } }) }),
  'an error with headers': (said) =>
    Object.assign(new Error('failed'), { options: { headers: new Headers({ 'x-said': encodeURI(said) }) } }),
  'an error with a map and a set': (said) =>
    Object.assign(new Error('failed'), { sent: new Map([['a', said]]), all: new Set([said]) }),
  'an error with bytes': (said) => Object.assign(new Error('failed'), { body: Buffer.from(said) }),
  'an error with a URL': (said) =>
    Object.assign(new Error('failed'), { url: new URL(`https://x.example/?said=${encodeURIComponent(said)}`) }),
  'an error with the parameters of a URL': (said) =>
    Object.assign(new Error('failed'), { parameters: new URLSearchParams({ said }) }),
  'an error with a function': (said) =>
    Object.assign(new Error('failed'), { send: Object.assign(() => undefined, { said }) }),
  'an error with a getter': (said) =>
    Object.defineProperty(new Error('failed'), 'sent', { get: () => said, enumerable: true }),
  'an error with a field that is not listed': (said) =>
    Object.defineProperty(new Error('failed'), 'sent', { value: said }),
  'an error with a field named by a symbol': (said) => Object.assign(new Error('failed'), { [Symbol(said)]: said }),
  'an error with a field named by it': (said) => Object.assign(new Error('failed'), { [said]: 1 }),
  'an error of private fields': (said) => new PrivateError({ said }),
  'an error that says how it is printed': (said) => new TalkativeError(said),
  'an error deep in private ones': (said) => new Error('outer', { cause: new PrivateError(new PrivateError(said)) }),
  'several errors': (said) => new AggregateError([new Error(said), new PrivateError(said)], 'failed'),
  'an error whose name says it': (said) => Object.assign(new Error('failed'), { name: said }),
  'an error whose code says it': (said) => Object.assign(new Error('failed'), { code: said }),
  'a stopped request': (said) => new DOMException(said, 'AbortError'),
  'a text': (said) => said,
  'an object': (said) => ({ reason: { said, list: [said] } }),
  'an object of a class': (said) =>
    new (class Refusal {
      readonly said = said
    })(),
  'a function': (said) => Object.assign(() => said, { said }),
}

/** What a server may answer, each with the key in it. */
export const answers: Readonly<Record<string, (said: string) => Response>> = {
  'a refusal': (said) => refusal(401, { error: { message: `Incorrect API key: ${said}`, type: 'x', param: said } }),
  'a refusal with a request id': (said) =>
    refusal(400, { error: { message: said } }, { 'x-request-id': encodeURI(said), 'request-id': encodeURI(said) }),
  'a refusal where the text is cut': (said) => refusal(401, { error: { message: `${'x'.repeat(980)} ${said}` } }),
  'a refusal that validates': (said) => refusal(422, { detail: [{ msg: 'wrong', input: said, loc: ['body'] }] }),
  'a missing page': (said) => page(404, `Cannot POST ${said}`),
  'a page': (said) => page(502, `<html><title>Bad gateway</title>${said}</html>`),
  'a page where the text is cut': (said) => page(502, `${'x'.repeat(180)}${said}${'y'.repeat(50)}`),
  'a page in place of an answer': (said) => page(200, `<html>${said}</html>`),
  'a page in place of an answer where the text is cut': (said) =>
    page(200, `${'x'.repeat(175)}${said}${'y'.repeat(50)}`),
  'a page that breaks off': (said) => page(500, `${'x'.repeat(20)} ${said.slice(0, -3)}`),
  'JSON that is no answer': (said) => refusal(200, { unheard_of: said }),
  'JSON that is no answer, where the text is cut': (said) => refusal(200, { unheard_of: 'x'.repeat(170) + said }),
  'JSON that breaks off': (said) => page(200, `{"text":"${said}`, 'application/json'),
  'an error in place of an answer': (said) =>
    refusal(200, { type: 'error', error: { message: said, type: said, code: said } }),
  'a stream that is none': (said) => stream(`data: {"text":"${said}\n\n`, `{"text":"${said}\n`),
  'a stream that is none, where the text is cut': (said) =>
    stream(`data: {${'x'.repeat(175)}${said}\n\n`, `{${'x'.repeat(175)}${said}\n`),
  'an error in a stream': (said) => {
    const event = JSON.stringify({ type: 'error', error: { message: said, type: said, code: said } })
    return stream(`event: error\ndata: ${event}\n\n`, `${event}\n`)
  },
  'a stream of another kind': (said) => stream(`data: "${said}"\n\n`, `"${said}"\n`),
  'a redirect': (said) =>
    new Response(null, { status: 307, headers: { location: `https://x.example/${encodeURI(said)}` } }),
}

function refusal(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers })
}

function page(status: number, text: string, type = 'text/html'): Response {
  return new Response(text, { status, headers: { 'content-type': type } })
}

/** Both kinds of framing: whichever it is, the other's lines are none. */
function stream(events: string, lines: string): Response {
  return new Response(events + lines, { headers: { 'content-type': 'text/event-stream' } })
}

/** In which form it comes back. */
export const spellings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'escaped for JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'escaped by numbers': (text) =>
    Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-encoded, all of it': (text) => Array.from(text, (one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
  'in base64': (text) => btoa(text),
  'in base64, amid other things': (text) => btoa(`{"key":"${text}"}`),
}

/** All that somebody may see of an error: its texts, how it is printed, and how it is stored, with all causes. */
export function everything(error: unknown, depth = 0): string {
  const seen = [String(error), inspect(error, { depth: 20, showHidden: true, getters: true }), jsonOf(error)]
  if (error instanceof Error && depth < 20) {
    seen.push(error.message, String(error.stack), everything(error.cause, depth + 1))
  }
  return seen.join('\n')
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** The longest piece of the key in a text, or in what is encoded in it; `undefined` where there is none of 12 characters. */
export function leakOf(text: string): string | undefined {
  // No piece has a line end in it. Most texts decode to themselves, and say the same more than once: each is read once.
  const readings = [...new Set([text, ...decoded(text)])].join('\n')
  const all = [readings, ...base64Texts(readings)].join('\n')
  for (let start = 0; start + 12 <= key.length; start++) {
    const piece = key.slice(start, start + 12)
    if (all.includes(piece)) return piece
  }
  return undefined
}

function decoded(text: string): readonly string[] {
  const percent = text.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const numbers = text.replaceAll(/\\+u([0-9a-f]{4})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return [percent, numbers]
}

function base64Texts(text: string): readonly string[] {
  const runs = text.split(/[^\w+/-]+/).filter((run) => run.length >= 16)
  return [...new Set(runs)].flatMap((run) =>
    [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')),
  )
}
