export { fromLanguageModel, type AiSdkModel, type FromLanguageModelOptions } from './from-language-model.ts'
export { toLanguageModel } from './to-language-model.ts'
