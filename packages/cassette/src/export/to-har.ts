import type { Cassette, Exchange } from '../cassette.ts'
import { toBase64 } from '../format/body-block.ts'
import { utf8 } from '../format/body-block.ts'

/**
 * A cassette as an HTTP archive (HAR 1.2, https://w3c.github.io/web-performance/specs/HAR/Overview.html), which browsers and proxies open.
 * What HAR has no place for stands in members with an underscore, from which `readHar` restores it: chunks, endings, the header.
 * HAR needs a time of day; a cassette has only the day.
 */
export function toHar(cassette: Cassette): string {
  const { header } = cassette
  const har = {
    log: {
      version: '1.2',
      creator: {
        name: '@steploop/cassette',
        version: '1',
        comment: `from a cassette with origin ${header.origin.kind}`,
      },
      entries: cassette.exchanges.map((exchange) => entry(exchange, header.origin.date)),
      _cassette: header,
    },
  }
  return `${JSON.stringify(har, undefined, 2)}\n`
}

function entry({ request, response }: Exchange, date: string): unknown {
  const waited = response.chunks[0]?.ms ?? 0
  const total = response.chunks.reduce((sum, { ms }) => sum + ms, 0)
  return {
    startedDateTime: `${date}T00:00:00.000Z`,
    time: total,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headerList(request.headers),
      queryString: [...new URL(request.url).searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body.length === 0 ? {} : { postData: postData(request.headers['content-type'], request.body) }),
      headersSize: -1,
      bodySize: request.body.length,
    },
    response: {
      status: response.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headerList(response.headers),
      content: content(response.headers['content-type'], response.body),
      redirectURL: '',
      headersSize: -1,
      bodySize: response.body.length,
      _chunks: response.chunks,
      _ending: response.ending,
    },
    cache: {},
    timings: { send: 0, wait: waited, receive: total - waited },
  }
}

function headerList(headers: Readonly<Record<string, string>>): unknown[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}

function content(type: string | undefined, body: Uint8Array): Record<string, unknown> {
  const shared = { size: body.length, mimeType: type ?? '' }
  const text = utf8(body)
  return text === undefined ? { ...shared, text: toBase64(body), encoding: 'base64' } : { ...shared, text }
}

// postData has no member for an encoding; ours starts with an underscore, as HAR asks of additions.
function postData(type: string | undefined, body: Uint8Array): Record<string, unknown> {
  const text = utf8(body)
  const shared = { mimeType: type ?? '', params: [] }
  return text === undefined ? { ...shared, text: toBase64(body), _encoding: 'base64' } : { ...shared, text }
}
