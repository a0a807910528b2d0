import { isObject, objectOf, type Adapter } from '@steploop/core/adapter'
import { parsed } from '../../json.ts'
import { full } from './option-forms.ts'
import { ask, can, lookup, requestForm, type RequestForm } from './request-form.ts'

/** Members of the body that are made from the turn: to set one is to have it, or to be told. */
export function memberForms({ provider, capabilities }: Adapter, body = '{}'): readonly RequestForm[] {
  return Object.entries(objectOf(parsed(body))).flatMap(([name, value]) => {
    const inner = isObject(value) ? { inner: 'mark-own' } : 'mark-own'
    return [inner, ...(Array.isArray(value) ? [[inner]] : [])].map((sample) => {
      const id = `member-${name}${Array.isArray(sample) ? '-list' : ''}`
      const providerOptions = { [provider]: { [name]: sample } }
      return requestForm(id, [ask], {
        ...(can(capabilities.tools) && full),
        providerOptions,
        marks: ['mark-own'],
        refusable: true,
        isOwn: true,
        about: 'providerOptions.',
      })
    })
  })
}

/** Whatever its name is called: calls are mapped back by it. */
export function renamingForms({ provider }: Adapter, body = '{}'): readonly RequestForm[] {
  return pathsOf(lookup.name, parsed(body)).map((path) => {
    const within = path
      .slice(path.lastIndexOf('[]') + 2)
      .split('.')
      .slice(1)
    const options = within.reduceRight<unknown>((value, name) => ({ [name]: value }), 'renamed')
    return requestForm(`options-that-rename-a-tool-by-${within.join('.')}`, [ask], {
      tools: [{ ...lookup, providerOptions: { [provider]: objectOf(options) } }],
      marks: ['"lookup"'],
      isOwn: true,
    })
  })
}

/** Paths of the members that are this text, and nothing more; items of a list have one path. */
export function pathsOf(text: string, value: unknown): readonly string[] {
  if (value === text) return ['']
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(text, item).map((path) => `[]${path}`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => pathsOf(text, member).map((path) => `.${name}${path}`))
}
