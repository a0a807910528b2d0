import { counters } from '../../scenario-parts/run-counters.ts'
import type { Scenario } from '../../scenario.ts'
import { answer, call, say } from '../../script-parts.ts'

/** What libraries and drafts before 2020-12 write: references, intersections, constants, open bounds, `nullable`. */
const journeySchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Journey',
  type: 'object',
  properties: {
    stop: { $ref: '#/definitions/stop', description: 'Where to change' },
    seats: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9, default: 1 },
    years: { type: 'integer', minimum: -9_007_199_254_740_991, maximum: 120 },
    weight: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
    kind: { const: 'train' },
    note: { type: 'string', nullable: true, minLength: 1, maxLength: 200 },
    extras: {
      allOf: [
        { type: 'object', properties: { wifi: { type: 'boolean' } }, required: ['wifi'] },
        { type: 'object', properties: { bike: { type: 'boolean' } } },
      ],
    },
    tags: { type: 'array', items: { type: 'string', enum: ['früh', '夜'] }, minItems: 1, uniqueItems: true },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 20 } },
  },
  required: ['kind'],
  definitions: {
    stop: {
      type: 'object',
      properties: { city: { type: 'string' }, next: { $ref: '#/definitions/stop' } },
      required: ['city'],
    },
  },
}

/**
 * A tool with a schema in other forms, for formats that take a part of JSON Schema only: what is not said in their form is said in a
 * warning, and `tools-as-declared` holds one against the other.
 */
export function schemaForms(id: string, scopes: readonly string[]): Scenario {
  return {
    id,
    title: 'A tool whose schema has references, intersections, constants, open bounds and what only libraries write.',
    appliesTo: {
      requires: ['tools'],
      wires: scopes,
      stressors: { noise: 'Noise turns the keys of every object round, and on some wires arguments are objects.' },
    },
    mayLose: ['tools['],
    script: [
      answer(call('plan_journey', { kind: 'train', stop: { city: 'Zürich' } })),
      answer(say('Über Zürich nach 東京 🚆.')),
    ],
    golden: `
      run 1
        step 1 tool-calls
          call plan_journey {"kind":"train","stop":{"city":"Zürich"}} by loop
          result plan_journey json
        step 2 stop
          text
        completed answer
    `,
    async run({ run, tools }) {
      const plan_journey = tools().declared('plan_journey', { description: 'Plans', inputSchema: journeySchema })
      await run('Plane eine Reise über Zürich nach 東京', { tools: { plan_journey } })
    },
    checks: [counters({ requests: 2, executions: 1 })],
  }
}
