import { arrayOf, isObject, objectOf } from '@steploop/core/adapter'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidArgument } from '../../simulate/google-status.ts'
import { invalidField } from './rejections.ts'

/** Built-in tools whose calls are apart from the answer. */
const invoked = ['googleSearch', 'urlContext', 'fileSearch', 'googleMaps']

export function checkTools(request: JsonObject, combinesSilently: boolean): Rejection | undefined {
  const tools = arrayOf(request['tools']).map(objectOf)
  const empty = tools.findIndex((tool) => Object.keys(tool).length === 0)
  if (empty >= 0)
    return invalidField(['tools', empty, 'tool_type'], "required one_of 'tool_type' must have one initialized field")
  const declarations = tools.flatMap((tool) => arrayOf(tool['functionDeclarations']).map(objectOf))
  const config = objectOf(request['toolConfig'])
  return (
    checkDeclarations(declarations) ??
    checkChoice(objectOf(config['functionCallingConfig']), declarations) ??
    (combinesSilently ? undefined : checkCombination(tools, declarations, config))
  )
}

function checkDeclarations(declarations: readonly JsonObject[]): Rejection | undefined {
  const names = declarations.map((declaration) => String(declaration['name']))
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) return invalidArgument(`Duplicate function declaration found: ${repeated}`)
  for (const [index, { parameters, parametersJsonSchema }] of declarations.entries()) {
    const path = ['tools', 0, 'functionDeclarations', index]
    if (parameters !== undefined && parametersJsonSchema !== undefined) {
      return invalidField([...path, 'parameters'], 'parameters and parameters_json_schema cannot be set both.')
    }
    if (parametersJsonSchema === undefined) continue
    const type = isObject(parametersJsonSchema) ? parametersJsonSchema['type'] : undefined
    if (type !== 'object') {
      return invalidField([...path, 'parametersJsonSchema'], 'parameters schema should be of type OBJECT.')
    }
  }
  return undefined
}

function checkChoice(config: JsonObject, declarations: readonly JsonObject[]): Rejection | undefined {
  const { mode, allowedFunctionNames } = config
  const names = declarations.map((declaration) => declaration['name'])
  if ((mode === 'ANY' || mode === 'VALIDATED') && names.length === 0) {
    return invalidArgument('Function calling config is set without function_declarations.')
  }
  if (allowedFunctionNames === undefined) return undefined
  if (mode !== 'ANY' && mode !== 'VALIDATED') {
    return invalidArgument('Allowed function names are only allowed with the function calling modes ANY and VALIDATED.')
  }
  const unknown = arrayOf(allowedFunctionNames).find((name) => !names.includes(name))
  if (unknown === undefined) return undefined
  return invalidField(
    ['toolConfig', 'functionCallingConfig', 'allowedFunctionNames'],
    `${JSON.stringify(unknown)} should be among the provided function declarations.`,
  )
}

function checkCombination(
  tools: readonly JsonObject[],
  declarations: readonly JsonObject[],
  config: JsonObject,
): Rejection | undefined {
  const isInvoked = tools.some((tool) => invoked.some((name) => tool[name] !== undefined))
  if (!isInvoked || declarations.length === 0 || config['includeServerSideToolInvocations'] === true) return undefined
  return invalidArgument(
    'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
  )
}
