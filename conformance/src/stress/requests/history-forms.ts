import type { AssistantPart, FilePart, Message, TextPart, ToolCallPart, ToolOutput } from '@steploop/core/adapter'
import {
  archive,
  ask,
  document,
  image,
  lookup,
  oddInput,
  nowhere,
  other,
  otherImage,
  requestForm,
  theirs,
  theirTool,
  type RequestForm,
} from './request-form.ts'

/** Histories: of other models, of an application's own making, and with nothing in them. */
export function historyForms(provider: string, model: string): readonly RequestForm[] {
  const providerMetadata = { provider: other, model: 'theirs', data: { type: theirs } }
  const said = (id: string, marks: readonly string[], ...content: AssistantPart[]): RequestForm =>
    requestForm(id, [ask, { role: 'assistant', content, provider: other, model: 'theirs' }, ask], { marks })
  const own = (id: string, marks: readonly string[], ...content: AssistantPart[]): RequestForm =>
    requestForm(id, [ask, { role: 'assistant', content, provider, model }, ask], { marks })
  const beside = text('mark-said')
  const turns = numbered('turn', 60)
  return [
    said('their-refusal', ['mark-refused', 'mark-said'], beside, { type: 'refusal', text: 'mark-refused' }),
    said('their-file', [image, 'mark-said'], beside, { ...picture, providerMetadata }),
    own('own-file', [image, 'mark-said'], beside, picture),
    said('their-thought', ['mark-thought'], { type: 'reasoning', text: 'mark-thought', providerMetadata }, beside),
    said('their-block', [nowhere], { type: 'opaque', providerMetadata }, beside),
    said('blank-answer', [], text(''), text('  \n')),
    said('no-answer', []),
    own('own-refusal', ['mark-refused', 'mark-said'], beside, { type: 'refusal', text: 'mark-refused' }),
    own('blanks-in-an-answer', ['mark-said'], text(''), beside, text('  ')),
    requestForm('blank-in-a-question', [user(text(''), text('mark-asked'))], { marks: ['mark-asked'] }),
    requestForm('question-without-parts', [ask, user()]),
    requestForm('questions-in-a-row', [ask, user(text('mark-asked')), user(text('mark-again'))], {
      marks: ['mark-asked', 'mark-again'],
    }),
    requestForm('system-later', [user(text('mark-asked')), system('mark-system'), user(text('mark-again'))], {
      marks: ['mark-asked', 'mark-system', 'mark-again'],
      inOrder: true,
    }),
    requestForm('system-first', [system('mark-system'), system('mark-second'), ask], {
      instructions: 'mark-instructed',
      marks: ['mark-system', 'mark-second', 'mark-instructed'],
    }),
    requestForm('blank-system-later', [ask, system(' \n'), ask]),
    requestForm('blank-system', [system('  '), ask], { instructions: '' }),
    requestForm(
      'many-messages',
      [...turns.flatMap((one): Message[] => [user(text(one)), saying(text(`${one}.`))]), ask],
      {
        marks: turns,
        inOrder: true,
      },
    ),
    requestForm('words-as-they-are', [asked, answered, user(text(asTheyAre('again')))], {
      instructions: asTheyAre('instructed'),
      marks: ['asked', 'said', 'again', 'instructed'].map((word) => asTheyAre(word)),
    }),
  ]
}

/** Thoughts that are not as the model gave them. Whether one has to be signed is not the same in every server of a format. */
export function thoughtForms(provider: string, model: string): readonly RequestForm[] {
  const content: AssistantPart[] = [thought('mark-thought'), thought(''), text('mark-said')]
  const marks = ['mark-thought', 'mark-said']
  return [
    requestForm('own-thought-changed', [ask, { role: 'assistant', content, provider, model }, ask], {
      marks,
      isOwn: true,
    }),
    requestForm('thought-of-an-application', [ask, { role: 'assistant', content }, ask], { marks, isOwn: true }),
  ]
}

/** Files of every kind, in messages of the user. */
export function fileForms(takesImages: boolean): readonly RequestForm[] {
  const pdf = 'application/pdf'
  const [one, two] = [document('one'), document('two')]
  const asked = (id: string, marks: readonly string[], ...files: readonly FilePart[]): RequestForm =>
    requestForm(id, [user(text('mark-asked'), ...files)], { marks: ['mark-asked', ...marks], refusable: true })
  return [
    {
      ...asked('image-by-url', [address], { type: 'file', mediaType: 'image/png', url: address }),
      apart: [address, 'an address'],
    },
    asked('document-by-url', [address], { type: 'file', mediaType: pdf, url: address }),
    asked('document-without-a-name', [one], file(pdf, one)),
    asked('documents-without-a-name', [one, two], file(pdf, one), file(pdf, two)),
    asked('documents-of-one-name', [one, two], file(pdf, one, 'same.pdf'), file(pdf, two, 'same.pdf')),
    asked('document-of-an-odd-name', [one], file(pdf, one, '../Übersicht (1)/§.v2.pdf')),
    asked('text-file', [], file('text/plain', btoa('mark-text'), 'a.txt')),
    asked('archive', [archive], file('application/zip', archive)),
    asked('sound', [archive], file('audio/wav', archive)),
    asked('film', [archive], file('video/mp4', archive)),
    requestForm('document-alone', [user(file(pdf, one, 'a.pdf'))], { marks: [one], refusable: true }),
    requestForm('image-alone', [user(picture)], { marks: [image], refusable: true, apart: [image, 'the bytes'] }),
    requestForm('picture-between-words', [user(text('mark-first'), picture, text('mark-last'))], {
      marks: ['mark-first', image, 'mark-last'],
      inOrder: true,
      refusable: true,
    }),
    // What takes pictures takes these.
    asked('images', [image, otherImage], picture, file('image/png', otherImage)),
    ...(takesImages ? [{ type: 'image/png', data: image, absent: /\bjpe?g\b/ }, jpeg] : []).map(
      ({ type, data, absent }) =>
        requestForm(`image-${type}`, [user(text('mark-asked'), file(type, data))], {
          marks: ['mark-asked', data],
          absent,
        }),
    ),
  ]
}

// Blanks at both ends, an end of a line of two signs, and a letter that is written as two.
const asTheyAre = (word: string): string => `  mark-${word}\r\nZu\u0308rich  `
const numbered = (word: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `mark-${word}-${index}.`)
const asked: Message = { role: 'user', content: asTheyAre('asked') }
const answered = saying(text(asTheyAre('said')))

const address = 'https://files.example.com/mark'
const picture = file('image/png', image)
/** The beginning of a real one: some look into the bytes. */
const jpeg = { type: 'image/jpeg', data: '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgID', absent: /\bpng\b/ }

function file(mediaType: string, data: string, filename?: string): FilePart {
  return { type: 'file', mediaType, data, filename }
}

function thought(said: string): AssistantPart {
  return { type: 'reasoning', text: said }
}

function text(said: string): TextPart {
  return { type: 'text', text: said }
}

function system(content: string): Message {
  return { role: 'system', content }
}

function saying(...content: readonly AssistantPart[]): Message {
  return { role: 'assistant', content }
}

function user(...content: readonly (TextPart | FilePart)[]): Message {
  return { role: 'user', content }
}

function contentOf(...value: readonly (TextPart | FilePart)[]): ToolOutput {
  return { type: 'content', value }
}

/** With what of it has to arrive. */
const outputs: Readonly<Record<string, readonly [ToolOutput, ...string[]]>> = {
  // What speaks of errors is none.
  text: [{ type: 'text', value: 'Error: mark-text' }, 'mark-text'],
  'blank-text': [{ type: 'text', value: '' }],
  object: [{ type: 'json', value: { error: 'mark-json' } }, 'mark-json'],
  list: [{ type: 'json', value: ['mark-json'] }, 'mark-json'],
  number: [{ type: 'json', value: 907_531 }, '907531'],
  'json-text': [{ type: 'json', value: 'mark-json' }, 'mark-json'],
  null: [{ type: 'json', value: null }],
  error: [
    { type: 'error', value: { code: 'tool-failed', message: 'mark-failed', more: 'mark-more' } },
    'mark-failed',
    'mark-more',
  ],
  texts: [contentOf(text('mark-one'), text('mark-two')), 'mark-one', 'mark-two'],
  'no-content': [contentOf()],
  'blank-content': [contentOf(text(''))],
  image: [contentOf(picture), image],
  images: [contentOf(picture, file('image/png', otherImage)), image, otherImage],
  document: [
    contentOf(text('mark-one'), file('application/pdf', document('mark'), 'mark.pdf')),
    'mark-one',
    document('mark'),
  ],
  archive: [contentOf(text('mark-one'), file('application/zip', archive)), 'mark-one', archive],
  'image-by-url': [contentOf({ type: 'file', mediaType: 'image/png', url: address }), address],
}

/** Calls of another model and their results, in each form that they can have. */
export function resultForms(): readonly RequestForm[] {
  const tools = [lookup]
  const failed: ToolOutput = { type: 'error', value: { code: 'unparsable-input', message: 'mark-text' } }
  const invalid = 'unparsable'
  const found: ToolOutput = { type: 'text', value: 'mark-text' }
  const marks = ['mark-text']
  const input = { sought: asTheyAre('sought'), list: numbered('item', 12), deep: { in: { deeper: [['mark-deep']] } } }
  const inputText = JSON.stringify(input)
  const long = numbered('long', 2_000).join(' ')
  return [
    ...Object.entries(outputs).map(([id, [output, ...own]]) =>
      requestForm(`result-${id}`, called(output), { tools, marks: [...own, 'mark-key'] }),
    ),
    requestForm('words-of-a-call', called({ type: 'text', value: asTheyAre('told') }, { input, inputText }), {
      tools,
      marks: [asTheyAre('sought'), asTheyAre('told'), ...input.list, 'mark-deep'],
    }),
    requestForm('call-between-texts', between(called(found)), {
      tools,
      marks: ['mark-before', 'mark-key', 'mark-after'],
      isForeign: true,
    }),
    requestForm('result-of-many-words', called({ type: 'text', value: long }), { tools, marks: [long] }),
    requestForm('call-cut-off', called(failed, { input: undefined, inputText: '{"sought":"mark-cut', invalid }), {
      tools,
      marks: [...marks, 'mark-cut'],
    }),
    requestForm('call-of-a-list', called(failed, { input: undefined, inputText: '["mark-cut"]', invalid }), {
      tools,
      marks: [...marks, 'mark-cut'],
    }),
    requestForm('call-without-input', called(found, { input: {}, inputText: '' }), { tools, marks }),
    requestForm('call-with-an-odd-id', called(found, { toolCallId: `call/1: ü§ ${'long '.repeat(20)}` }), {
      tools,
      marks,
    }),
    requestForm('call-with-odd-arguments', called(found, { input: oddInput, inputText: JSON.stringify(oddInput) }), {
      tools,
      marks,
    }),
    requestForm('calls-with-ids-alike', calledTwice(`call.${'long '.repeat(20)}`), {
      tools,
      marks: ['mark-ä', 'mark-ö'],
    }),
    requestForm('call-and-no-tools', called(found), { marks }),
    requestForm('call-and-no-tool-of-its-own', called(found), { tools: [theirTool], marks: [nowhere] }),
  ]
}

function called(output: ToolOutput, more: Partial<ToolCallPart> = {}): readonly Message[] {
  const call: ToolCallPart = {
    type: 'tool-call',
    toolCallId: 'call_1',
    toolName: 'lookup',
    input: { sought: 'mark-key' },
    inputText: '{"sought":"mark-key"}',
    owner: 'loop',
    ...more,
  }
  const { toolCallId, toolName } = call
  return [
    ask,
    { role: 'assistant', content: [call], provider: other },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] },
  ]
}

function between(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.role === 'assistant'
      ? { ...message, content: [text('mark-before'), ...message.content, text('mark-after')] }
      : message,
  )
}

/** In one step, with ids that differ in a sign at their end, which hardly any provider takes. */
function calledTwice(id: string): readonly Message[] {
  const call = { type: 'tool-call', toolName: 'lookup', input: {}, inputText: '{}', owner: 'loop' } as const
  const result = { type: 'tool-result', toolName: 'lookup' } as const
  return [
    ask,
    { role: 'assistant', content: ['ä', 'ö'].map((sign) => ({ ...call, toolCallId: id + sign })), provider: other },
    {
      role: 'tool',
      content: ['ä', 'ö'].map((sign) => ({
        ...result,
        toolCallId: id + sign,
        output: { type: 'text', value: `mark-${sign}` },
      })),
    },
  ]
}
