import nodeModule from 'node:module'
import { pathToFileURL } from 'node:url'
import { mutate, mutationVariable, type AppliedMutation } from './mutation.ts'

/** URLs of the modules that were loaded, from files. */
export const loadedModules = new Set<string>()

const given = process.env[mutationVariable]
if (given !== undefined) {
  const mutation = JSON.parse(given) as AppliedMutation | null
  const url = mutation === null ? undefined : pathToFileURL(mutation.file).href
  // Since Node 22.15.
  nodeModule.registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context)
      loadedModules.add(asked)
      if (mutation === null || asked !== url) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? undefined)
      return { ...loaded, source: mutate(source, mutation) }
    },
  })
}
