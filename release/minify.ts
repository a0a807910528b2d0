import type { MinifyOptions } from 'rolldown/utils'

/**
 * What becomes of the names in a published module. A stack trace shows the module itself: its lines, and its functions, classes and members by
 * their names. Variables have short ones: a cold import spends most of its time on reading what it does not call.
 */
export const minify = {
  mangle: { toplevel: false, keepNames: true },
  compress: false,
  codegen: false,
} satisfies MinifyOptions
