import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

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

export const toolDeclarations: Scenario = {
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
    run 1
      step 1 tool-calls
        call plan_trip {"budget":null,"class":"second","from":"Zürich","via":["Basel",{"city":"東京","nights":3}]} by loop
        result plan_trip json
      step 2 tool-calls
        call book_seat {"meal":{"name":"Rösti","vegan":true},"place":"window","seat":"12A"} by loop
        result book_seat json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { declared } = tools()
    const plan_trip = declared('plan_trip', {
      description: 'Plans a trip by train.\n\nAsk for the class first; "second" is cheaper. 🚆 東京まで。',
      inputSchema: tripSchema,
    })
    const book_seat = declared('book_seat', { description: 'Books one seat', inputSchema: seatSchema, strict: true })
    await run('Plane eine Reise von Zürich nach 東京', { tools: { plan_trip, book_seat } })
  },
  checks: [counters({ requests: 3, executions: 2 })],
}
