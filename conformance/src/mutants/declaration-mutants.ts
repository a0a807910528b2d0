import {
  isObject,
  textOf,
  type FunctionToolDefinition,
  type JsonSchema,
  type TurnRequest,
} from '@steploop/core/adapter'
import { isContinuation } from './messages.ts'
import { brokenEvent, brokenEvents, brokenRequest, type Breaks } from './mutant.ts'

/** What a model learns of its tools, what a turn is said to cost, and whether warnings can be believed. */
export const declarationMutants: Breaks = {
  'descriptions-lost': brokenRequest({
    bug: 'No tool has a description.',
    killer: 'tool-declarations#tools-as-declared',
    change: (request) => withTools(request, (tool) => ({ ...tool, description: undefined })),
  }),
  'descriptions-of-nothing': brokenRequest({
    bug: 'A tool without a description has the word for a value that is not there.',
    killer: 'text-only#requests',
    change: (request) => withTools(request, (tool) => ({ ...tool, description: String(tool.description) })),
  }),
  'tools-renamed-by-options': brokenRequest({
    bug: 'Options of a tool overwrite its name.',
    killer: 'text-only#requests',
    change: (request, { provider }) =>
      withTools(request, (tool) => ({
        ...tool,
        name: textOf(tool.providerOptions?.[provider]?.['name']) ?? tool.name,
      })),
  }),
  'descriptions-cut': brokenRequest({
    bug: 'Descriptions of tools end after 256 characters.',
    killer: 'text-only#requests',
    change: (request) => withTools(request, (tool) => ({ ...tool, description: tool.description?.slice(0, 256) })),
  }),
  'schemas-emptied': brokenRequest({
    bug: 'Every tool is declared without arguments.',
    killer: 'tool-declarations#as-recorded',
    change: (request) => withTools(request, (tool) => ({ ...tool, inputSchema: { type: 'object', properties: {} } })),
  }),
  'unions-lost': brokenRequest({
    bug: 'Of a union in a schema nothing is left.',
    killer: 'tool-declarations#as-recorded',
    change: (request) => withoutKeyword(request, 'anyOf'),
  }),
  'bounds-lost': brokenRequest({
    bug: 'The least value of a number is dropped from a schema, and nobody is told.',
    killer: 'tool-declarations#as-recorded',
    change: (request) => withoutKeyword(request, 'minimum'),
  }),
  'optional-made-required': brokenRequest({
    bug: 'Every property of a tool is required.',
    killer: 'tool-declarations#as-recorded',
    change: (request) =>
      withTools(request, (tool) => {
        const { properties } = tool.inputSchema
        return {
          ...tool,
          inputSchema: { ...tool.inputSchema, required: isObject(properties) ? Object.keys(properties) : [] },
        }
      }),
  }),
  'answer-schema-emptied': brokenRequest({
    bug: 'The schema of the answer has no properties.',
    killer: 'structured#output-as-declared',
    change: (request) => ({
      ...request,
      responseFormat: request.responseFormat && {
        ...request.responseFormat,
        schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
    }),
  }),
  'answer-patterns-lost': brokenRequest({
    bug: 'The pattern of a text is dropped from the schema of the answer, and nobody is told.',
    killer: 'text-only#requests',
    change: (request) => ({
      ...request,
      responseFormat: request.responseFormat && {
        ...request.responseFormat,
        schema: schemaWithout(request.responseFormat.schema, 'pattern'),
      },
    }),
  }),
  'output-counted-as-input': brokenEvents({
    bug: 'After a call, input tokens are all tokens.',
    killer: 'single-call#usage-as-scripted',
    fresh: isContinuation,
    change: (events, isLater) =>
      events.map((event) => {
        if (!isLater || event.type !== 'turn-end' || event.usage === undefined) return event
        const { inputTokens = 0, outputTokens = 0 } = event.usage
        return { ...event, usage: { ...event.usage, inputTokens: inputTokens + outputTokens } }
      }),
  }),
  'calls-without-owner': brokenEvent({
    bug: 'The beginning of a call does not say who runs it.',
    killer: 'single-call#contract-words',
    change: (event) => {
      if (event.type !== 'tool-call-start') return [event]
      const { owner: _, ...rest } = event
      // No event of the contract, as an adapter in JavaScript may give it.
      return [rest as typeof event]
    },
  }),
  'finish-reason-empty': brokenEvents({
    bug: 'A turn that answers after a call does not say why it ends.',
    killer: 'single-call#contract-words',
    fresh: isContinuation,
    change: (events, isLater) =>
      events.map((event) => {
        const isWrong = isLater && event.type === 'turn-end' && event.finishReason === 'stop'
        // No word of the contract, as an adapter in JavaScript may give it.
        return isWrong ? { ...event, finishReason: '' as 'stop' } : event
      }),
  }),
  'warns-always': brokenEvents({
    bug: 'Every turn after a call warns of a loss that there was not.',
    killer: 'single-call#warns-in-need',
    fresh: isContinuation,
    change: (events, isLater) =>
      events.map((event) => {
        if (!isLater || event.type !== 'turn-start') return event
        const warning = { type: 'dropped', path: 'messages[0].content[0]', message: 'Something was left out.' } as const
        return { ...event, warnings: [...(event.warnings ?? []), warning] }
      }),
  }),
}

function withTools(
  request: TurnRequest,
  change: (tool: FunctionToolDefinition) => FunctionToolDefinition,
): TurnRequest {
  return { ...request, tools: request.tools?.map((tool) => (tool.type === 'function' ? change(tool) : tool)) }
}

function withoutKeyword(request: TurnRequest, keyword: string): TurnRequest {
  return withTools(request, (tool) => ({ ...tool, inputSchema: schemaWithout(tool.inputSchema, keyword) }))
}

function schemaWithout(schema: JsonSchema, keyword: string): JsonSchema {
  // What JSON gives back has the type of what went in: schemas are plain data.
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === keyword ? undefined : value,
  ) as typeof schema
}
