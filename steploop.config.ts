import { anthropic, anthropicAdaptive } from './subjects/anthropic.ts'
import { bedrock, bedrockClaude, bedrockSigned } from './subjects/bedrock.ts'
import { cohere } from './subjects/cohere.ts'
import { deepseek, deepseekReasoner } from './subjects/deepseek.ts'
import { gemini, geminiBudget } from './subjects/gemini.ts'
import { groq } from './subjects/groq.ts'
import { mistral } from './subjects/mistral.ts'
import { ollama } from './subjects/ollama.ts'
import { openaiCompatible, azureChat } from './subjects/openai-compatible.ts'
import { azureResponses, openai, openaiPlain } from './subjects/openai.ts'
import { openrouter } from './subjects/openrouter.ts'
import { vertex, vertexClaude } from './subjects/vertex.ts'
import { xai, xaiChat } from './subjects/xai.ts'

/** The conformance suite, `steploop traffic` and `steploop record` take their subjects from here. */
export default {
  subjects: [
    openai,
    openaiCompatible,
    anthropic,
    gemini,
    groq,
    mistral,
    deepseek,
    deepseekReasoner,
    openrouter,
    xai,
    xaiChat,
    ollama,
    cohere,
    bedrock,
    bedrockClaude,
    bedrockSigned,
    vertex,
    vertexClaude,
    azureChat,
    azureResponses,
    // Models that take other requests than the one which is tested whole.
    openaiPlain,
    anthropicAdaptive,
    geminiBudget,
  ],
}
