import type { OutputOptions, StandardSchema } from '@steploop/core'

export interface WeatherReport {
  readonly city: string
  readonly celsius: number
}

const properties = { city: { type: 'string' }, celsius: { type: 'number' } }

/** The object that structured scenarios ask for. By hand: what a schema library prints changes with its version. */
const schema: StandardSchema<unknown, WeatherReport> = {
  '~standard': {
    version: 1,
    vendor: 'steploop-conformance',
    validate(value) {
      const given: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {}
      const { city, celsius } = given
      if (typeof city !== 'string')
        return { issues: [{ message: `expected a text, got ${typeof city}`, path: ['city'] }] }
      if (typeof celsius !== 'number') {
        return { issues: [{ message: `expected a number, got ${typeof celsius}`, path: ['celsius'] }] }
      }
      return { value: { city, celsius } }
    },
    jsonSchema: {
      input: () => ({ type: 'object', properties, required: ['city', 'celsius'], additionalProperties: false }),
    },
  },
}

export const weatherReport: OutputOptions = { name: 'weather_report', schema }
