export type { AiSdkModel } from './call-options.ts'
export { fromLanguageModel, type FromLanguageModelOptions } from './from-language-model.ts'
export { toLanguageModel } from './to-language-model.ts'
