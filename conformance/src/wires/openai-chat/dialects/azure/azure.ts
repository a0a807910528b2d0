import { isObject } from '@steploop/core/adapter'
import {
  azureEndpoint,
  azureHosts,
  nothingFiltered,
  promptFilterResults,
} from '../../../openai-common/azure-service.ts'
import { objectsAt } from '../../../simulate/fields.ts'
import { plainEvent } from '../../../simulate/sse.ts'
import type { JsonObject, SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { openaiShape } from '../../simulate/answer.ts'
import { shapedAnswers, type AnswerShape } from '../../simulate/answer-shape.ts'
import { checkWith, openaiDialect } from '../../simulate/check.ts'

/**
 * What is there before the model says anything: a chunk without a choice, an id and a model (docs/wire.md#chat-chunks-without-choices,
 * docs/wire.md#chat-ids-of-chunks).
 */
const leading = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: promptFilterResults }

/** OpenAI's words, with what the filters found beside every choice. */
const azureShape: AnswerShape = {
  ...openaiShape,
  body: (answer) => ({ ...withResults(openaiShape.body(answer)), prompt_filter_results: promptFilterResults }),
  content: (answer) => openaiShape.content(answer).map(withResults),
  ending: (answer) => openaiShape.ending(answer).map(withResults),
  before: (ordinal) => (ordinal === 1 ? [plainEvent(JSON.stringify(leading))] : []),
}

function withResults(members: JsonObject): JsonObject {
  const choices = objectsAt(members, 'choices').map((choice) => ({
    ...choice,
    content_filter_results: isObject(choice['message']) || saysSomething(choice) ? nothingFiltered : {},
  }))
  return { ...members, choices }
}

function saysSomething(choice: JsonObject): boolean {
  const delta = choice['delta']
  return isObject(delta) && typeof delta['content'] === 'string' && delta['content'] !== ''
}

/** Azure's deployments behind Chat Completions: https://learn.microsoft.com/azure/ai-foundry/openai/reference#chat-completions */
export const azure: SimulatedDialect = {
  name: 'azure',
  hosts: azureHosts,
  check: checkWith(openaiDialect),
  ...shapedAnswers(azureShape),
  ...azureEndpoint('/chat/completions'),
}
