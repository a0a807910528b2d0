/**
 * The platform's classes as they are when the suite is loaded. While MSW intercepts, the global ones are proxies that write down the headers
 * of each object, which costs as much as a replayed turn; objects of both are the same to their reader.
 */
export const { Headers: PlainHeaders, Response: PlainResponse } = globalThis
