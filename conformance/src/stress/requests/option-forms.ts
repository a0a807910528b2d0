import type { Settings, TurnRequest } from '@steploop/core/adapter'
import { ask, lookup, nowhere, other, requestForm, theirs, theirTool, type RequestForm } from './request-form.ts'

const tools = [lookup]
const open = {
  type: 'object',
  properties: { sought: { type: 'string' }, beside: { type: 'object' } },
  required: ['sought'],
}

const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']

/** The longest description that every provider takes; servers of MCP bring such. */
const manyWords = Array.from({ length: 100 }, (_, index) => `Sought: ${index}.`)
  .join(' ')
  .slice(0, 1024)

/** Every word of JSON schema that libraries write. */
const wordy = {
  type: 'object',
  title: 'Sought',
  description: 'Tells what is sought.',
  properties: {
    ...Object.fromEntries(formats.map((format) => [format, { type: 'string', format }])),
    sought: { type: 'string', minLength: 2, maxLength: 40, pattern: '^[^0-9]+$', default: 'Zürich' },
    phone: { type: 'string', format: 'phone' },
    count: { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    list: {
      type: 'array',
      items: { type: 'string', title: 'Item', maxLength: 9 },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
    least: { type: 'array', items: { type: 'integer' }, minItems: 2 },
    one: { oneOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
    any: {
      anyOf: [{ type: 'integer' }, { type: 'object', properties: { deep: { const: 'in' } }, required: ['deep'] }],
    },
    kind: { type: 'string', enum: ['new', 'used'], not: { const: 'used' } },
    plain: { type: 'string', pattern: '[a-z]+' },
    mark: { type: 'string', const: 'mark' },
    place: { $ref: '#/$defs/place' },
    closed: { type: 'object', properties: { deep: { type: 'boolean' } }, required: [], additionalProperties: false },
  },
  required: ['sought'],
  $defs: { place: { type: 'object', properties: { city: { type: 'string', maxLength: 9 } }, required: ['city'] } },
}

/** Tools as they may be declared, and chosen. */
export function toolForms(provider: string): readonly RequestForm[] {
  const odd = { ...lookup, name: '1 odd.näme' }
  const named = { type: 'tool', toolName: 'lookup' } as const
  const providerOptions = { [provider]: { x_mark: 'mark-own' }, [other]: { x_mark: theirs } }
  return [
    requestForm('choice-open', [ask], { tools, group: 'toolChoice', about: 'toolChoice' }),
    ...(['none', 'required', named] as const).map((toolChoice, index) =>
      requestForm(`choice-${index + 1}`, [ask], { tools, toolChoice, group: 'toolChoice', about: 'toolChoice' }),
    ),
    ...(['required', named] as const).map((toolChoice, index) =>
      requestForm(`choice-${index + 2}-one-at-a-time`, [ask], {
        tools,
        toolChoice,
        settings: { parallelToolCalls: false },
        group: 'toolChoice',
      }),
    ),
    requestForm('choice-auto', [ask], { tools, toolChoice: 'auto' }),
    requestForm('choice-of-an-odd-name', [ask], {
      tools: [odd],
      toolChoice: { ...named, toolName: odd.name },
      about: 'tool',
    }),
    requestForm('tools-of-like-names', [ask], {
      tools: ['find it', 'find.it', 'found', 'Found', 'x'.repeat(70), `${'x'.repeat(70)}y`].map((name) => ({
        ...lookup,
        name,
      })),
      about: 'tool',
    }),
    requestForm('many-tools', [ask], {
      tools: Array.from({ length: 100 }, (_, index) => ({ ...lookup, name: `lookup_${index}` })),
    }),
    requestForm('tool-of-another', [ask], { tools: [lookup, theirTool], marks: [nowhere], about: 'tools' }),
    requestForm('options-of-a-tool', [ask], {
      tools: [{ ...lookup, providerOptions }],
      marks: ['mark-own', 'lookup'],
      isOwn: true,
    }),
    requestForm('strict-tool', [ask], { tools: [{ ...lookup, strict: true }], group: 'strict', about: 'tools' }),
    requestForm('strict-tool-of-an-open-schema', [ask], { tools: [{ ...lookup, strict: true, inputSchema: open }] }),
    requestForm('tool-that-is-not-strict', [ask], { tools, group: 'strict', about: 'tools' }),
    ...[false, true].map((strict) =>
      requestForm(`tool-of-many-words${strict ? '-strict' : ''}`, [ask], {
        tools: [{ ...lookup, description: manyWords, inputSchema: wordy, strict }],
      }),
    ),
    requestForm('tool-without-words', [ask], {
      tools: [{ type: 'function', name: 'ping', inputSchema: { type: 'object' } }],
      marks: ['ping'],
    }),
    requestForm('one-call-at-a-time', [ask], { tools, settings: { parallelToolCalls: false } }),
    requestForm('calls-in-parallel', [ask], { tools, settings: { parallelToolCalls: true } }),
  ]
}

/** @param choices whether tools may be chosen beside a format */
export function formatForms(choices: boolean): readonly RequestForm[] {
  const closed = { ...lookup.inputSchema, description: 'mark-schema' }
  const beside = { tools, responseFormat: { name: 'found', schema: lookup.inputSchema }, group: 'choiceBesideFormat' }
  return [
    requestForm('format', [ask], {
      responseFormat: { name: 'found', description: 'mark-description', schema: closed },
      marks: ['sought', 'mark-schema'],
    }),
    requestForm('format-of-an-open-schema', [ask], {
      responseFormat: { name: 'found', schema: open },
      marks: ['sought', 'beside'],
    }),
    requestForm('format-of-many-words', [ask], { responseFormat: { name: 'found', schema: wordy } }),
    ...(choices ? (['none', 'required'] as const) : []).map((toolChoice) =>
      requestForm(`format-beside-choice-${toolChoice}`, [ask], { ...beside, toolChoice }),
    ),
  ]
}

/** Two values each. What is 0 is said as well. */
const values: { readonly [Name in keyof Settings]?: readonly Settings[Name][] } = {
  maxOutputTokens: [4096, 8191],
  temperature: [0, 0.25],
  topP: [0.5, 0.9],
  topK: [1, 40],
  presencePenalty: [0, 0.5],
  frequencyPenalty: [0, 0.5],
  seed: [0, 7],
  reasoning: ['none', 'low', 'medium', 'high'],
  stopSequences: [['END'], ['END', 'STOP']],
}

export function settingForms(): readonly RequestForm[] {
  const alone = Object.entries(values).flatMap(([group, all]) =>
    all.map((value, index) =>
      requestForm(`${group}-${index + 1}`, [ask], {
        settings: { [group]: value },
        group,
        about: `settings.${group}`,
        saysMore: value !== 'none',
      }),
    ),
  )
  const stopSequences = Array.from({ length: 24 }, (_, index) => `mark-stop-${index + 1}.`)
  const thinking = { reasoning: 'high', temperature: 0.25, topP: 0.5, topK: 40, maxOutputTokens: 4096 } as const
  return [
    ...alone,
    requestForm('many-stops', [ask], {
      settings: { stopSequences },
      marks: stopSequences,
      isOwn: true,
      about: 'settings.stopSequences',
    }),
    requestForm('blank-stops', [ask], { settings: { stopSequences: ['', ' ', 'STOP'] } }),
    requestForm('no-stops', [ask], { settings: { stopSequences: [] } }),
    requestForm('thoughts-and-sampling', [ask], { settings: thinking }),
  ]
}

/** A turn with something in most members of the body, for what joins them. */
export const full: Partial<TurnRequest> = {
  instructions: 'Say ok.',
  tools,
  toolChoice: 'required',
  settings: { maxOutputTokens: 4096, temperature: 0.25, stopSequences: ['END'] },
}

/** Options that were left open, of what is made from the turn too. */
const nothing = Object.fromEntries(
  ['model', 'messages', 'contents', 'input', 'stream', 'tools', 'x_none'].map((name) => [name, undefined]),
)

/** Options of the provider, which win. */
export function ownForms(provider: string, takesTools: boolean): readonly RequestForm[] {
  const own = (
    id: string,
    options: Readonly<Record<string, unknown>>,
    marks: readonly string[],
    more = {},
  ): RequestForm => {
    const providerOptions = { [provider]: options, [other]: { y_mark: theirs } }
    return requestForm(id, [ask], { providerOptions, marks, isOwn: true, about: 'providerOptions.', ...more })
  }
  return [
    own('own-option', { x_mark: { inner: 'mark-own' } }, ['mark-own']),
    own('own-option-of-nothing', { x_mark: 'mark-own', ...nothing }, ['mark-own']),
    ...(takesTools
      ? [
          // They go behind the turn's, or a warning says which are lost.
          own('own-tools', { tools: [{ type: 'mark-own' }] }, ['mark-own', 'sought'], { tools, about: '' }),
          own('own-tools-no-list', { tools: 'mark-own' }, ['mark-own'], { tools }),
        ]
      : []),
    own('own-tools-alone', { tools: [{ type: 'mark-own' }] }, ['mark-own']),
  ]
}

/** A run that has nothing kept wins over what an application asks for in all of them. */
export function storeForms(providerOptions: TurnRequest['providerOptions']): readonly RequestForm[] {
  const asked = [{ providerOptions }, { providerOptions, stateless: true }]
  return asked.map((more, index) => requestForm(`kept-${index + 1}`, [ask], { ...more, group: 'keeping' }))
}

/** Adapters as nobody should make them: without a key, and for models whose id is part of an address that leads elsewhere. */
export function madeForms(): readonly RequestForm[] {
  const models = ['../../up', 'a/../../../up', 'a/./b', 'one?key=two#three', 'Übersicht 1']
  return [
    requestForm('blank-key', [ask], { made: { apiKey: ' ' } }),
    ...models.map((model, index) => requestForm(`odd-model-${index + 1}`, [ask], { made: { model } })),
  ]
}
