import { isObject, type JsonObject } from '@steploop/core/adapter'
import { lastOfEachName } from './clean-names.ts'
import type { Conversation, DeclaredTool } from '@steploop/conformance/cli'
import {
  differenceOf,
  onBoth,
  onRecorded,
  type Difference,
  type RecordedFacts,
  type Pair,
  type Normalization,
} from './finding.ts'
import { plainTexts } from './text-steps.ts'

/** What is the same in every request of a loop: system prompt, tools, choice; and the response that it goes on from. */
export function compareHeads({ recorded, ours }: Pair<Conversation>, evidence: RecordedFacts): readonly Difference[] {
  return [
    ...differenceOf({ what: 'previous' }, { recorded: recorded.previous, ours: ours.previous }),
    ...differenceOf({ what: 'system' }, { recorded: systemOf(recorded), ours: systemOf(ours) }, [plainTexts]),
    ...differenceOf({ what: 'tools' }, { recorded: toolsOf(recorded), ours: toolsOf(ours) }, [
      declaredTwice,
      schemaWords,
      strictSchema,
    ]),
    ...differenceOf({ what: 'choice' }, { recorded: choiceOf(recorded), ours: choiceOf(ours) }, [
      coercedChoice(evidence),
    ]),
  ]
}

/** System prompts stand in messages or beside them, in one piece or several. */
function systemOf({ items }: Conversation): string {
  const texts = items.flatMap((item) => (item.type === 'system' ? [item.text] : []))
  return texts.join('').replaceAll(/\s+/g, '')
}

/** Without a word `auto` is meant. */
function choiceOf({ choice, tools }: Conversation): unknown {
  return tools.length === 0 ? 'auto' : (choice ?? 'auto')
}

function coercedChoice({ choices }: RecordedFacts): Normalization<unknown> {
  return onRecorded('coerced-choice', (recorded, ours) => {
    const kind = typeof recorded === 'string' ? recorded : 'tool'
    return ours === 'auto' && !choices.includes(kind) ? ours : recorded
  })
}

interface ToolKey {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject | undefined
  readonly isStrict: boolean
}

/** In the order of their names: which tool stands first means nothing. */
function toolsOf({ tools }: Conversation): readonly ToolKey[] {
  return tools.map(toolKey).toSorted((one, other) => byText(one.name, other.name))
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1
}

function toolKey({ name, description = '', schema, strict }: DeclaredTool): ToolKey {
  return { name, description, schema, isStrict: strict === true }
}

const declaredTwice = onRecorded<readonly ToolKey[]>('declared-twice', lastOfEachName)

/** What strict mode adds to a schema; one that it cannot express is not strict. */
const strictSchema: Normalization<readonly ToolKey[]> = [
  'strict-schema',
  ({ recorded, ours }) => {
    const strict = new Set(recorded.flatMap(({ name, isStrict }) => (isStrict ? [name] : [])))
    const loose = (tool: ToolKey): ToolKey =>
      strict.has(tool.name) ? { ...tool, isStrict: false, schema: looseSchema(tool.schema) as JsonObject } : tool
    return { recorded: recorded.map(loose), ours: ours.map(loose) }
  },
]

function looseSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => looseSchema(item))
  if (!isObject(schema)) return schema
  const members = Object.entries(schema).filter(([name, value]) => {
    return !(name === 'additionalProperties' && value === false) && !(name === 'required' && Array.isArray(value))
  })
  return Object.fromEntries(members.map(([name, value]) => [name, looseSchema(value)]))
}

const schemaWords = onBoth<readonly ToolKey[]>('schema-words', (tools) => tools.map(inCommonWords))

/** Arguments are an object, also where the schema does not say so. */
function inCommonWords(tool: ToolKey): ToolKey {
  return { ...tool, schema: commonSchema({ type: 'object', ...tool.schema }) as JsonObject }
}

/** Names of Gemini's enum, which JSON of protocol buffers may name by number: https://ai.google.dev/api/caching#Type */
const protoTypes = ['type_unspecified', 'string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** Types in small letters, `required` sorted; an object without members needs no list of them. */
function commonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => commonSchema(item))
  if (!isObject(schema)) return schema
  const members = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$schema') return []
    if (name === 'type' && typeof value === 'number') return [[name, protoTypes[value]]]
    if (name === 'type' && typeof value === 'string') return [[name, value.toLowerCase()]]
    if (name === 'required' && Array.isArray(value))
      return value.length === 0 ? [] : [[name, value.map(String).toSorted(byText)]]
    if (name === 'properties' && isObject(value) && Object.keys(value).length === 0) return []
    return [[name, commonSchema(value)]]
  })
  return Object.fromEntries(members)
}
