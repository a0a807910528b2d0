import { ScaffoldError } from './scaffold-error.ts'

/** The name in whose spelling the templates are written. */
const templateName = 'my-llm'

const legal = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Checks a name, which is also the key of `providerOptions`, the subject's name in reports, and the file's name. */
export function checkName(name: string): string {
  if (legal.test(name)) return name
  const fix = 'Use lower case letters, digits and single dashes, and begin with a letter, for example my-llm.'
  throw new ScaffoldError('usage', `'${name}' cannot be the name of an adapter. ${fix}`)
}

/** A legal name made of a folder's: `./Mÿ LLM` gives `my-llm`; `''` where nothing is left. */
export function nameFrom(folder: string): string {
  const last = folder.split(/[/\\]/).findLast((part) => part !== '' && part !== '.' && part !== '..') ?? ''
  return last
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
}

/** Replaces the templates' name in all its spellings: `my-llm`, `MyLlm`, `myLlm`, `MY_LLM`. */
export function rename(text: string, name: string): string {
  const wanted = spellings(name)
  return spellings(templateName).reduce((rest, spelling, index) => rest.replaceAll(spelling, wanted[index] ?? ''), text)
}

function spellings(name: string): readonly string[] {
  const words = name.split('-')
  const pascal = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return [name, pascal, pascal.slice(0, 1).toLowerCase() + pascal.slice(1), words.join('_').toUpperCase()]
}
