import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { canonicalJson } from '../json.ts'
import { answer, call, say } from '../script-parts.ts'

const input = {
  id: 'ZH-1001',
  stops: [
    { city: 'Zürich', at: [47.3769, 8.5417], note: 'sagt „Grüezi“\nund "Adieu" \\o/' },
    { city: '東京', at: [35.6762, -139.6503], note: "it's 🗼\tthere" },
  ],
  limits: { weight: 0.1, parts: 12_345_678, fragile: true, tags: ['été', '夏', ''], none: [], empty: {} },
}

/** Checked by nobody: what arrives is what the model wrote. */
const inputSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    stops: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          at: { type: 'array', items: { type: 'number' } },
          note: { type: 'string' },
        },
      },
    },
    limits: {
      type: 'object',
      properties: {
        weight: { type: 'number' },
        parts: { type: 'integer' },
        fragile: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        none: { type: 'array', items: { type: 'string' } },
        empty: { type: 'object', properties: {} },
      },
    },
  },
  required: ['id', 'stops', 'limits'],
}

const words = canonicalJson(input)

export const nestedArguments: Scenario = {
  id: 'nested-arguments',
  title: 'Objects, arrays, numbers, quotes, line ends and many scripts as arguments.',
  appliesTo: {
    requires: ['tools'],
    stressors: { noise: 'Noise turns the keys of every object round, and on some wires arguments are objects.' },
  },
  script: [answer(call('lookup_order', input)), answer(say('ZH-1001 geht über Zürich nach 東京 🚆.'))],
  golden: `
    run 1
      step 1 tool-calls
        call lookup_order ${words} by loop
        result lookup_order json
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { lookup_order } = tools()
    await run('Plane ZH-1001 über Zürich nach 東京 🚆', { tools: { lookup_order: { ...lookup_order, inputSchema } } })
  },
  checks: [
    {
      id: 'tool-gets-all',
      sentence: 'The tool gets the arguments as the model wrote them.',
      judge: ({ runs }) => {
        const got = canonicalJson(runs[0]?.executions[0]?.input)
        return unless(got === words, `the tool got ${got}; the model wrote ${words}`, 'run 1, step 1')
      },
    },
    {
      id: 'history-holds-all',
      sentence: 'The next request gives the arguments back as the model wrote them.',
      judge: ({ runs }) => {
        const sent = runs[0]?.requests[1]?.view?.items.find((item) => item.type === 'call')
        if (sent?.type !== 'call') return []
        const got = canonicalJson(sent.input)
        return unless(got === words, `the history holds ${got}; the model wrote ${words}`, `request 2, ${sent.path}`)
      },
    },
  ],
}
