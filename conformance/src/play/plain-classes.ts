/**
 * The platform's classes as they are when the suite is loaded. While MSW intercepts, the global ones are proxies that write down the headers
 * of each object, which costs as much as a replayed turn; objects of both are the same to their reader.
 */
const { Headers, Request, Response } = globalThis

export { Headers as PlainHeaders, Response as PlainResponse }

/** Makes them the global ones, while nothing is played through MSW. Gives the way back. */
export function usePlainClasses(): () => void {
  const before = { Headers: globalThis.Headers, Request: globalThis.Request, Response: globalThis.Response }
  Object.assign(globalThis, { Headers, Request, Response })
  return () => void Object.assign(globalThis, before)
}
