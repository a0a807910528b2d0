import { recorded } from './traffic.config.ts'

/** AI SDK packages in the conformance suite: the scenarios and goldens of the project's own adapters, with cassettes of their own. */
export default { subjects: recorded }
