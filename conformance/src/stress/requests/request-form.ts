import type { Flag, FunctionToolDefinition, Message, ToolDefinition, TurnRequest } from '@steploop/core/adapter'
import { holdsIn } from '../../judge/applicability.ts'
import type { SubjectAdapterOptions } from '../../subject.ts'

/** A turn that an application may ask for. */
export interface RequestForm {
  readonly id: string
  readonly request: TurnRequest
  /** In place of what adapters are made with; the provider's rules are not asked, and no more than a typed error has to come of it. */
  readonly made?: SubjectAdapterOptions | undefined
  /** What has to stand in the body, unless a warning or a refusal of the adapter says that it does not. */
  readonly marks?: readonly string[] | undefined
  /** `marks` stand in this order, too. Default false. */
  readonly inOrder?: boolean | undefined
  /** The adapter may refuse it as `unsupported`, before any request. */
  readonly refusable?: boolean | undefined
  /** The provider may refuse it: not each of them takes what an answer of another may hold. */
  readonly isForeign?: boolean | undefined
  /** The form holds what the caller alone answers for, so the provider's rules are not asked. */
  readonly isOwn?: boolean | undefined
  /** Group of forms of which no two give the same body, unless one of them is warned about. */
  readonly group?: string | undefined
  /** How the path of a warning about it begins. Default: anyhow. */
  readonly about?: string | undefined
  /** A text that stands in a member where no form has a text of another kind, unless one of them is warned about: an address is no bytes. */
  readonly apart?: readonly [text: string, kind: string] | undefined
  /** What must not stand in the body: a word for another kind of thing. */
  readonly absent?: RegExp | undefined
  /** The body is not that of a turn without anything, unless there is a warning. */
  readonly saysMore?: boolean | undefined
}

export function requestForm(
  id: string,
  messages: readonly Message[],
  {
    marks,
    inOrder,
    refusable,
    isForeign,
    isOwn,
    group,
    saysMore,
    made,
    about,
    apart,
    absent,
    ...more
  }: Omit<RequestForm, 'id' | 'request'> & Partial<TurnRequest> = {},
): RequestForm {
  const request = { messages, turn: 0, ...more }
  return { id, request, marks, inOrder, refusable, isForeign, isOwn, group, saysMore, made, about, apart, absent }
}

/** Whether it is claimed for streams, in which the forms are sent. */
export function can(flag: Flag | undefined): boolean {
  return holdsIn(flag, 'stream')
}

/** A provider that no other subject is of. */
export const other = 'elsewhere'
/** Text that never stands in a body. */
export const theirs = 'secretly_theirs'
/** A tool that another provider runs. */
export const theirTool: ToolDefinition = {
  type: 'provider',
  provider: other,
  name: 'their_search',
  definition: { type: theirs },
}
/** Text that stands in no body, so that there has to be a warning. */
export const nowhere = 'no-such-mark'

export const ask: Message = { role: 'user', content: 'Say ok.' }

export const lookup: FunctionToolDefinition = {
  type: 'function',
  name: 'lookup',
  description: 'Looks up.',
  inputSchema: {
    type: 'object',
    properties: { sought: { type: 'string' } },
    required: ['sought'],
    additionalProperties: false,
  },
}

/** Arguments that some formats or parsers take for something else. */
export const oddInput = {
  sought: ' <007> &amp;',
  digits: '007',
  words: ['true'],
  nothing: ['null', null, '', [], {}],
  'a "key" of <b>&amp;\n': { number: -1.5e-7, large: 9_007_199_254_740_991 },
}

/** One pixel. */
export const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** One pixel of another colour. */
export const otherImage =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** What no model reads. */
export const archive = 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=='

export function document(text: string): string {
  return btoa(`%PDF-1.4\n% ${text}\n%%EOF\n`)
}
