export { fromLanguageModel, type AiSdkModel, type FromLanguageModelOptions } from './from-language-model.ts'
