import { checkMiddleware } from './check-options.ts'
import { LoopError } from '../contract/errors.ts'
import type { Middleware, MiddlewareOption } from './middleware.ts'
import { hookFailed } from '../tools/hook-failed.ts'

/** The middleware of one run. Throws `LoopError`: `invalid-options`, or `hook-failed` for what the maker throws. */
export function makeMiddleware(option: MiddlewareOption): Middleware {
  if (typeof option !== 'function') return option
  const made: unknown = madeBy(option)
  checkMiddleware(made)
  return made
}

function madeBy(make: () => Middleware): Middleware {
  try {
    return make()
  } catch (cause) {
    throw middlewareFailed('middleware', cause)
  }
}

/** The first is around the second. */
export function nestMiddleware(outer: Middleware, inner: Middleware): Middleware {
  return {
    run: nest(outer.run, inner.run),
    turn: nest(outer.turn, inner.turn),
    tool: nest(outer.tool, inner.tool),
  }
}

type Around<Info, Result> = ((info: Info, next: () => Result) => Result) | undefined

function nest<Info, Result>(outer: Around<Info, Result>, inner: Around<Info, Result>): Around<Info, Result> {
  if (outer === undefined || inner === undefined) return outer ?? inner
  return (info, next) => outer(info, () => inner(info, next))
}

export function middlewareFailed(name: string, cause: unknown): LoopError {
  return LoopError.isInstance(cause) ? cause : hookFailed(name, cause)
}
