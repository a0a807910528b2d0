import { expect, test } from 'vitest'
import type { Warning } from '../contract/adapter.ts'
import type { AssistantPart, ToolCallPart } from '../contract/messages.ts'
import { fillSlots, type AssistantSlots } from './assistant-parts.ts'

const call: ToolCallPart = {
  type: 'tool-call',
  toolCallId: 'c1',
  toolName: 'weather',
  input: { city: 'Graz' },
  inputText: '',
  owner: 'loop',
}

function fill(part: AssistantPart, provider?: string, more: Partial<AssistantSlots> = {}): readonly unknown[] {
  const seen: unknown[] = []
  const slots = {
    provider: 'acme',
    label: 'Acme',
    text: (text: string) => void seen.push(text),
    reasoning: ({ text }: { text: string }) => void seen.push(`thought ${text}`),
    call: ({ toolCallId }: ToolCallPart, input: object) => void seen.push([toolCallId, input]),
    ...more,
  }
  fillSlots({ role: 'assistant', content: [part], provider }, slots, ({ type, path, message }: Warning) => {
    seen.push(`${type} ${path}: ${message}`)
  })
  return seen
}

const at = 'assistant.content[0]'

test.each<[AssistantPart, ...unknown[]]>([
  [{ type: 'text', text: 'Hi' }, 'Hi'],
  [{ type: 'refusal', text: 'No.' }, 'No.', `coerced ${at}: Acme knows no refusals; the refusal is sent as text`],
  [{ type: 'reasoning', text: 'Hm.' }, 'thought Hm.'],
  [call, ['c1', { city: 'Graz' }]],
  [
    { ...call, input: undefined, invalid: 'unparsable' },
    `coerced ${at}: the arguments of 'weather' were not usable and are sent back as {}`,
    ['c1', {}],
  ],
  [
    { ...call, input: {}, invalid: 'truncated' },
    `coerced ${at}: the arguments of 'weather' were not usable and are sent back as {}`,
    ['c1', {}],
  ],
  [
    { ...call, input: ['Graz'] },
    `coerced ${at}: the arguments of 'weather' were not usable and are sent back as {}`,
    ['c1', {}],
  ],
  [
    { ...call, owner: 'provider' },
    `dropped ${at}: Acme takes no calls that a provider ran itself; 'weather' is left out`,
  ],
  [{ type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { type: 'text', value: '' } }],
  [{ type: 'file', mediaType: 'image/png', data: 'AA' }, `dropped ${at}: a file has no place in an assistant message`],
  [
    { type: 'opaque', providerMetadata: { provider: 'other', model: 'm', data: {} } },
    `dropped ${at}: a block of other means nothing to acme`,
  ],
])('$type goes to its slot, or a warning says why not', (part, ...seen) => {
  expect(fill(part)).toEqual(seen)
})

test.each(['acme', 'other'])(
  'a block of %s goes to the place for those of acme, or a warning says why not',
  (provider) => {
    const part: AssistantPart = { type: 'opaque', providerMetadata: { provider, model: 'm', data: {} } }
    const taken: unknown[] = []
    const seen = fill(part, provider, { opaque: (block) => void taken.push(block) })
    expect([taken, seen.length]).toEqual(provider === 'acme' ? [[part], 0] : [[], 1])
  },
)

test('thoughts go back to the provider that had them alone', () => {
  expect(fill({ type: 'reasoning', text: 'Hm.' }, 'acme')).toEqual(['thought Hm.'])
  expect(fill({ type: 'reasoning', text: 'Hm.' }, 'other')).toEqual([
    `dropped ${at}: reasoning of other is not sent to acme`,
  ])
})
