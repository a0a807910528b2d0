import { isObject } from '@steploop/core/adapter'
import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'
import { findShapeFault, typeName } from '../../simulate/shape-fault.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { checkMessages } from './check-messages.ts'
import { checkOptions } from './check-options.ts'
import { refused, silentlyIgnored } from './failures.ts'
import { requestSchema } from './request-schema.ts'
import { shapeRejection } from './shape-rejection.ts'

/** Refuses what the server refuses, in its words, and besides what it would silently ignore, in words of the simulator's own. */
export function check(body: unknown): Rejection | undefined {
  if (body === undefined) return refused('invalid JSON in the request body')
  if (!isObject(body)) return refused(`json: cannot unmarshal ${typeName(body)} into Go value of type api.ChatRequest`)
  if (body['model'] === undefined || body['model'] === '') return refused('model is required')
  const fault = findShapeFault(requestSchema, body)
  if (fault !== undefined) return shapeRejection(fault)
  return checkHead(body) ?? checkTools(body) ?? checkOptions(body) ?? checkMessages(objectsAt(body, 'messages'))
}

function checkHead(request: JsonObject): Rejection | undefined {
  const { top_logprobs: top } = request
  if (typeof top === 'number' && (top < 0 || top > 20)) return refused('top_logprobs must be between 0 and 20')
  if (typeof top === 'number' && request['logprobs'] !== true)
    return silentlyIgnored('`top_logprobs` without `logprobs`')
  return checkThink(request) ?? checkKeepAlive(request['keep_alive']) ?? checkFormat(request)
}

const thinkWords = '"high", "medium", "low", true, or false'

/** Levels are for gpt-oss; releases differ in whether they refuse them elsewhere, and the simulator is one that does. */
function checkThink({ think, model }: JsonObject): Rejection | undefined {
  if (think === undefined || typeof think === 'boolean') return undefined
  if (typeof think !== 'string') return refused(`think must be a boolean or string (${thinkWords})`)
  if (!['high', 'medium', 'low'].includes(think)) {
    return refused(`invalid think value: "${think}" (must be ${thinkWords})`)
  }
  if (String(model).includes('gpt-oss')) return undefined
  return refused(`think value "${think}" is not supported for this model`)
}

/** A number of seconds, or a duration as Go writes it: `10m`, `1h30m`, `-1s`, `0`. */
function checkKeepAlive(value: unknown): Rejection | undefined {
  if (value === undefined || typeof value === 'number') return undefined
  if (typeof value !== 'string') return refused(`unsupported duration type: '${typeName(value)}'`)
  if (/^[+-]?(0|(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+)$/.test(value)) return undefined
  return refused(`time: invalid duration "${value}"`)
}

/** Read when the model runs, and so refused with a 500. `format` binds the whole output: beside tools no call can be made. */
function checkFormat({ format, tools }: JsonObject): Rejection | undefined {
  if (format === undefined) return undefined
  if (format !== 'json' && !isObject(format)) {
    return refused(`invalid format: ${JSON.stringify(format)}; expected "json" or a valid JSON Schema object`, 500)
  }
  return tools === undefined ? undefined : silentlyIgnored('`format` beside `tools`, which could never be called')
}

function checkTools(request: JsonObject): Rejection | undefined {
  const names = objectsAt(request, 'tools').map((tool) => textAt(objectAt(tool, 'function'), 'name'))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : silentlyIgnored(`the tool '${twice}' is declared twice`)
}
