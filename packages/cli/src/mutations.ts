/** Small changes of source files that nobody chose: what `steploop mutants --auto` tries. Internal, and changed without notice. */

export { findMutations, loadParser, type Parser } from './auto-mutants/find-mutations.ts'
export { mutate, type Mutation } from './auto-mutants/mutation.ts'
