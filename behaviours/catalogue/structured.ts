import { held, type Behaviour } from '../behaviour.ts'

const core = 'packages/core/src'

/** Answers that are objects. */
export const structured: readonly Behaviour[] = [
  held(
    'T01',
    'Without native support a synthetic tool gives the object; alone it ends the run.',
    `${core}/run/make-result.ts`,
    "hidden && toolCalls.length === 0 ? 'stop' : finishReason",
    'finishReason',
  ),
  held(
    'T02',
    'The synthetic tool is forced alone, any is beside others, none while the model thinks.',
    `${core}/run/structured.ts`,
    "!reasoning && kinds.includes('required')",
    "kinds.includes('required')",
  ),
  held(
    'T03',
    'The object is in the result of the run.',
    `${core}/run/structured.ts`,
    'if (result.issues === undefined) {\n    state.found',
    'if (result.issues !== null) {\n    state.found',
  ),
  held(
    'T04',
    'A fenced object is taken.',
    `${core}/run/structured.ts`,
    'JSON.parse(withoutFence(text))',
    'JSON.parse(text)',
  ),
  held(
    'T05',
    'Strict parameters stay strict in later requests.',
    `${core}/run/turn-request.ts`,
    'tools, toolChoice: tools && choice,',
    'tools: run.steps.length > 0 ? tools.map((tool) => ({ ...tool, strict: false })) : tools, toolChoice: tools && choice,',
  ),
]

/** Counting tokens, and what else a result tells. */
export const usage: readonly Behaviour[] = [
  held(
    'U01',
    'Usage is the sum of all steps, with its sub-counts.',
    `${core}/contract/usage.ts`,
    'reasoningTokens: addCount(left.reasoningTokens, right.reasoningTokens),',
    'reasoningTokens: right.reasoningTokens,',
  ),
  held(
    'U02',
    'A turn without usage takes nothing away.',
    `${core}/contract/usage.ts`,
    'return left ?? right\n  return {',
    'return right\n  return {',
  ),
  held(
    'U03',
    'In a stream every turn counts once.',
    'packages/adapters/openai-compatible/src/usage.ts',
    'inputTokens: later.inputTokens ?? before.inputTokens,',
    'inputTokens: (later.inputTokens ?? 0) + (before.inputTokens ?? 0),',
  ),
  held(
    'U04',
    'A step names the model that answered; citations are kept.',
    `${core}/run/make-result.ts`,
    'responseModel,\n    message,',
    'responseModel: run.model.model,\n    message,',
  ),
  held(
    'U05',
    'Reasoning settings and tokens survive on Azure.',
    'packages/adapters/openai/src/azure.ts',
    'reasoning: modelOptions.reasoning })',
    'reasoning: false })',
  ),
]
