import { unless, type Check } from '../check.ts'
import { canonicalJson } from '../json.ts'
import { toolDescriptions } from '../tool-descriptions.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const emptyInHistory: Check = {
  id: 'empty-object-in-history',
  sentence:
    'A call without arguments stands as `{}` in the history, whatever the provider sent (`""`, nothing, `null`).',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[1]?.view
    return (view?.items ?? [])
      .filter((item) => item.type === 'call')
      .filter(({ input }) => canonicalJson(input) !== '{}')
      .map(({ input, path }) => ({
        message: `the arguments are ${canonicalJson(input)}, not {}`,
        where: `request 2, ${path}`,
      }))
  },
}

const emptyForTool: Check = {
  id: 'empty-object-for-tool',
  sentence: 'The tool gets `{}`.',
  judge: ({ runs }) => {
    const where = 'run 1, step 1'
    const inputs = (runs[0]?.executions ?? []).map(({ input }) => canonicalJson(input))
    if (inputs.length === 0) return [{ message: 'the tool was not run, and no arguments are {}', where }]
    return inputs
      .filter((input) => input !== '{}')
      .map((input) => ({ message: `the tool got ${input}, not {}`, where }))
  },
}

/** Not checked, so that the tool gets what the loop makes of no arguments. */
const inputSchema = { type: 'object', properties: {}, required: [], additionalProperties: false }

const noArguments: Scenario = {
  id: 'no-arguments',
  title: 'A call of a tool that takes no arguments.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('list_alerts')), answer(say('Ein Alarm ⚠️: Föhn über Zürich.'))],
  golden: `
    step 1 tool-calls: call list_alerts {} by loop + result list_alerts json
    step 2 stop: text
    completed answer
  `,
  async run({ run, tools }) {
    const { list_alerts } = tools()
    await run('Gibt es Warnungen für Zürich ⚠️?', { tools: { list_alerts: { ...list_alerts, inputSchema } } })
  },
  checks: [emptyInHistory, emptyForTool],
}

const input = {
  id: 'ZH-1001',
  stops: [
    { city: 'Zürich', at: [47.3769, 8.5417], note: 'sagt „Grüezi“\nund "Adieu" \\o/' },
    { city: '東京', at: [35.6762, -139.6503], note: "it's 🗼\tthere" },
  ],
  limits: { weight: 0.1, parts: 12_345_678, fragile: true, tags: ['été', '夏', ''], none: [], empty: {} },
}

/** Not checked: what arrives is what the model wrote. */
const nestedSchema = {
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

const nestedArguments: Scenario = {
  id: 'nested-arguments',
  title: 'Objects, arrays, numbers, quotes, line ends and many scripts as arguments.',
  appliesTo: {
    requires: ['tools'],
    stressors: { noise: 'Noise turns the keys of every object round, and on some wires arguments are objects.' },
  },
  script: [answer(call('lookup_order', input)), answer(say('ZH-1001 geht über Zürich nach 東京 🚆.'))],
  golden: `
    run 1
      step 1 tool-calls: call lookup_order ${words} by loop + result lookup_order json
      step 2 stop: text
      completed answer
  `,
  async run({ run, tools }) {
    const { lookup_order } = tools()
    await run('Plane ZH-1001 über Zürich nach 東京 🚆', {
      tools: { lookup_order: { ...lookup_order, inputSchema: nestedSchema } },
    })
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

const stop = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where to stay 🏨' },
    nights: { type: 'integer', minimum: 1, maximum: 14 },
  },
  required: ['city', 'nights'],
}

/** Unions, bounds, nesting, words for people, and properties that may be left out. */
const tripSchema = {
  type: 'object',
  properties: {
    from: {
      type: 'string',
      description: 'City of departure, „Zürich“ for example',
      minLength: 2,
      pattern: '^[^0-9]+$',
    },
    via: {
      type: 'array',
      items: { anyOf: [{ type: 'string', description: 'A city to pass' }, stop] },
      maxItems: 5,
    },
    class: { type: 'string', enum: ['first', 'second', '座席'] },
    budget: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }], description: 'In CHF; null for no limit' },
    when: { type: 'string', format: 'date' },
  },
  required: ['from', 'class'],
  additionalProperties: false,
}

/** Closed, and every property required: what providers can enforce. */
const seatSchema = {
  type: 'object',
  properties: {
    seat: { type: 'string', description: 'Coach and seat, 12A', pattern: '^[0-9]+[A-F]$' },
    place: { type: 'string', enum: ['window', 'aisle'] },
    meal: {
      type: 'object',
      properties: { name: { type: 'string' }, vegan: { type: 'boolean' } },
      required: ['name', 'vegan'],
      additionalProperties: false,
    },
  },
  required: ['seat', 'place', 'meal'],
  additionalProperties: false,
}

const tripInput = { from: 'Zürich', class: 'second', via: ['Basel', { city: '東京', nights: 3 }], budget: null }
const seatInput = { seat: '12A', place: 'window', meal: { name: 'Rösti', vegan: true } }

const toolDeclarations: Scenario = {
  id: 'tool-declarations',
  title: 'Tools with unions, bounds, nested and optional properties, and one whose schema the provider shall enforce.',
  appliesTo: {
    requires: ['tools'],
    stressors: { noise: 'Noise turns the keys of every object round, and on some wires arguments are objects.' },
  },
  mayLose: ['tools['],
  script: [
    answer(call('plan_trip', tripInput)),
    answer(call('book_seat', seatInput)),
    answer(say('Von Zürich nach 東京, Platz 12A am Fenster 🚆.')),
  ],
  golden: `
    step 1 tool-calls
      call plan_trip {"budget":null,"class":"second","from":"Zürich","via":["Basel",{"city":"東京","nights":3}]} by loop
      result plan_trip json
    step 2 tool-calls
      call book_seat {"meal":{"name":"Rösti","vegan":true},"place":"window","seat":"12A"} by loop
      result book_seat json
    step 3 stop: text
    completed answer
  `,
  async run({ run, tools }) {
    const { declared } = tools()
    const plan_trip = declared('plan_trip', {
      description: toolDescriptions['plan_trip'],
      inputSchema: tripSchema,
    })
    const book_seat = declared('book_seat', {
      description: toolDescriptions['book_seat'],
      inputSchema: seatSchema,
      strict: true,
    })
    await run('Plane eine Reise von Zürich nach 東京', { tools: { plan_trip, book_seat } })
  },
  checks: [counters({ requests: 3, executions: 2 })],
}

export const toolInputsScenarios: readonly Scenario[] = [noArguments, nestedArguments, toolDeclarations]
