export { framings, kinds, type Kind } from './kinds.ts'
export { ScaffoldError, type ScaffoldErrorCode } from './scaffold-error.ts'
export { writeScaffold, type ScaffoldOptions } from './write-scaffold.ts'
