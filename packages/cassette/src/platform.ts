import { CassetteError } from './errors.ts'

// Matching, replay by an injected fetch, and printing of bodies need nothing of Node. Hashes and files do, and are asked for only when
// used, so that a bundle of `@steploop/cassette/fetch` holds no `node:` import and loads on edge runtimes.
const host = globalThis as { process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule' | 'env' | 'cwd'>> }

function required<Builtin>(name: string, builtin: Builtin | undefined): Builtin {
  if (builtin !== undefined) return builtin
  throw new CassetteError('missing', {
    what: `This runtime has no ${name}, which reading or writing a cassette file needs.`,
    fix: 'Read the cassette on Node, Deno or Bun and hand over the Cassette object.',
  })
}

/** Lower-case hexadecimal SHA-256 of UTF-8 text or bytes. */
export function sha256(data: string | Uint8Array): string {
  const crypto = required('node:crypto', host.process?.getBuiltinModule?.('node:crypto'))
  return crypto.createHash('sha256').update(data).digest('hex')
}

/** Node's synchronous file system. */
export const fileSystem = () => required('node:fs', host.process?.getBuiltinModule?.('node:fs'))
