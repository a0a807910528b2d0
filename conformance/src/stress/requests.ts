import { AdapterError, type Adapter, type TurnRequest, type Warning } from '@steploop/core/adapter'
import { settleWithin } from '../deadline.ts'
import { described } from '../described.ts'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import { textsIn } from '../scenario-parts/texts-in.ts'
import { parsed } from '../json.ts'
import { warningFaults } from '@steploop/core/testing'
import { isSimulated } from '../play/own-format.ts'
import { factsOf } from '../play/observe-fetch.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { answer, say } from '../script-parts.ts'
import { openSearch } from './variant-search.ts'
import { streamOf } from './replay-turn.ts'
import type { StressCase, Stressor } from './stressor.ts'
import type { RequestView } from '../request-view.ts'
import type { Subject, SubjectAdapterOptions } from '../subject.ts'
import { misread } from './misread.ts'
import { memberForms, pathsOf, renamingForms } from './requests/member-forms.ts'
import { fileForms, historyForms, resultForms, thoughtForms } from './requests/history-forms.ts'
import { sealForms } from './seal-forms.ts'
import { formatForms, full, madeForms, ownForms, settingForms, storeForms, toolForms } from './requests/option-forms.ts'
import { ask, can, requestForm, theirs, type RequestForm } from './requests/request-form.ts'

/** Histories of others, files of every kind, edges of settings: what reaches an adapter one day. */
export const requests: Stressor = {
  id: 'requests',
  sentence:
    'Whatever a turn may hold goes into a request that the provider takes, or a warning or a refusal of the adapter says what does not.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { subject, cassette, sweep, only, mode } = stressCase
    if (mode !== 'stream') return search.outcome('what is asked for does not depend on the mode: streams show it')
    // Warnings come with an answer.
    if (cassette.exchanges[0]?.response.status !== 200) return search.outcome('the first answer is an error')
    if (only === undefined && (!sweep.isFirst || sweep.seen.has('requests'))) return search.outcome()
    sweep.seen.add('requests')
    for (const model of [subject.model, ...(subject.models ?? [])]) {
      const least = await sent(stressCase, plain, model)
      const bodies: Bodies = {
        seen: new Map(),
        kinds: new Map(),
        told: new Set(),
        least: least.body,
        read: subject.readRequest,
      }
      const forms = model === subject.model ? await allForms(least, stressCase) : formsOfModel(least.adapter)
      for (const form of forms) {
        const variant = model === subject.model ? form.id : `${model}/${form.id}`
        const isTried = search.tries(variant)
        // One of a group is compared with those before it, also where it is repeated alone.
        const isCompared = form.group !== undefined || form.apart !== undefined
        if (!isTried && (only === undefined || !isCompared)) continue
        const outcome = await sent(stressCase, form, model)
        const message =
          form.made === undefined
            ? (faultOf(form, outcome, bodies) ??
              misread(form, outcome, stressCase) ??
              (await silentAgain(outcome, bodies.told)))
            : faultOfMade(form.made, outcome, { least, baseURL: subject.baseURL })
        if (isTried && message !== undefined) search.found(variant, [{ message: `\`${variant}\`: ${message}` }])
      }
    }
    return search.outcome()
  },
}

const plain = requestForm('plain', [ask])

async function allForms(least: Sent, stressCase: StressCase): Promise<readonly RequestForm[]> {
  const { provider, model, capabilities } = least.adapter
  const { storeOptions } = stressCase.subject
  const most = can(capabilities.tools) ? await sent(stressCase, requestForm('full', [ask], full), model) : least
  return [
    ...formsOfModel(least.adapter),
    ...historyForms(provider, model),
    ...(await sealForms(stressCase, least.adapter, async (form) => (await sent(stressCase, form, model)).body)),
    ...(can(capabilities.tools) ? resultForms() : []),
    ...ownForms(provider, can(capabilities.tools)),
    ...(can(capabilities.continuation) ? storeForms({ [provider]: storeOptions ?? { store: true } }) : []),
    ...madeForms(),
    ...memberForms(most.adapter, most.body),
    ...renamingForms(most.adapter, most.body),
  ]
}

/** In which models of one provider differ. */
function formsOfModel({ provider, model, capabilities }: Adapter): readonly RequestForm[] {
  return [
    ...thoughtForms(provider, model),
    ...fileForms(can(capabilities.imageInput)),
    ...(can(capabilities.tools) ? toolForms(provider) : []),
    ...(can(capabilities.structured)
      ? formatForms(can(capabilities.tools) && can(capabilities.structuredWithTools))
      : []),
    ...settingForms(),
  ]
}

/** What the adapter makes of a turn. */
interface Sent {
  /** `undefined`: there was no request. */
  readonly body: string | undefined
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly adapter: Adapter
  readonly warnings: readonly Warning[]
  readonly error: unknown
  /** Why the provider does not take the request. */
  readonly rejection: string | undefined
  /** The adapter changed what it was given. */
  readonly isMeddled: boolean
  /** Asks the same turn once more, with the same objects. */
  readonly warnedAgain: () => Promise<readonly Warning[]>
}

async function sent(stressCase: StressCase, { request, isOwn, made }: RequestForm, model: string): Promise<Sent> {
  const { subject, cassette, deadline } = stressCase
  const [exchange] = cassette.exchanges
  const recorded = async (): Promise<Response> =>
    new PlainResponse(streamOf({ chunks: [new Uint8Array(exchange?.response.body ?? [])] }), {
      status: exchange?.response.status ?? 200,
      headers: { ...exchange?.response.headers },
    })
  let simulated =
    isSimulated(subject) && isOwn !== true && made === undefined
      ? simulatedFetch({ subject, script: [answer(say('ok'))], knowsSignatures: false })
      : undefined
  let body: string | undefined
  let url = ''
  let headers: Sent['headers'] = {}
  const adapter = subject.adapter({
    apiKey: canary,
    model,
    ...made,
    async fetch(input, init) {
      const asked = await factsOf(input, init)
      url = new URL(asked.url).href
      ;({ headers, text: body } = asked)
      return simulated === undefined ? recorded() : simulated.fetch(input, init)
    },
  })
  const warnings: Warning[] = []
  // Forms share their tools and schemas.
  const given = structuredClone(request)
  const play = (into: Warning[]): Promise<unknown> =>
    settleWithin(deadline, 'the turn', played(adapter, given, stressCase, into))
  const error = await play(warnings)
  const isMeddled = JSON.stringify(given) !== JSON.stringify(request)
  const rejection = simulated?.rejections[0]?.message
  const warnedAgain = async (): Promise<readonly Warning[]> => {
    simulated = undefined
    const again: Warning[] = []
    await play(again)
    return again
  }
  return { body, url, headers, adapter, warnings, error, rejection, isMeddled, warnedAgain }
}

/** What is kept encoded between turns has its warnings with it. Each kind of them once. */
async function silentAgain({ warnings, error, warnedAgain }: Sent, told: Set<string>): Promise<string | undefined> {
  const kind = warnings.map(({ path }) => path.replaceAll(/\d/g, '')).join(' ')
  if (warnings.length === 0 || error !== undefined || told.has(kind)) return undefined
  told.add(kind)
  const again = await warnedAgain()
  return JSON.stringify(again) === JSON.stringify(warnings)
    ? undefined
    : `the same turn once more warns of ${JSON.stringify(again)}, and the first time of ${JSON.stringify(warnings)}`
}

async function played(
  adapter: Adapter,
  request: TurnRequest,
  { mode }: StressCase,
  warnings: Warning[],
): Promise<unknown> {
  try {
    for await (const batch of adapter.turn(request, { mode }))
      warnings.push(...batch.flatMap((event) => ('warnings' in event ? (event.warnings ?? []) : [])))
    return undefined
  } catch (error) {
    return error
  }
}

interface Bodies {
  /** By what they are, the group of the form. */
  readonly seen: Map<string, string>
  /** What kind of text stands in a member, by its path. */
  readonly kinds: Map<string, string>
  /** Paths of the warnings that were given twice. */
  readonly told: Set<string>
  /** Body of a turn without anything. */
  readonly least: string | undefined
  readonly read: Subject['readRequest']
}

function faultOf(
  { marks = [], inOrder, refusable, isForeign, isOwn, group, saysMore, apart, absent, about = '' }: RequestForm,
  { body, warnings: all, error, rejection, isMeddled }: Sent,
  { seen, kinds, least, read }: Bodies,
): string | undefined {
  if (isMeddled)
    return 'the adapter changes the request that it is given, which the caller has in other turns; change a copy'
  // Warnings and errors go to logs, and files are long.
  const told = [...all.map(({ message }) => message), described(error)]
  const repeated = marks.find((mark) => fileBytes.test(mark) && told.some((text) => text.includes(mark)))
  if (repeated !== undefined) return `a warning, or an error, repeats the bytes of a file: ${repeated.slice(0, 20)}…`
  if (body === undefined) {
    const isRefusal = AdapterError.isInstance(error) && error.code === 'unsupported'
    return refusable === true && isRefusal ? undefined : `there is no request: ${described(error)}`
  }
  // A warning about something else excuses nothing.
  const warnings = all.filter(({ path }) => path.startsWith(about))
  const shown = `\n  ${body.slice(0, 600)}`
  if (rejection !== undefined) return isForeign === true ? undefined : `the provider refuses it: ${rejection}${shown}`
  if (error !== undefined && isOwn !== true) return `it fails: ${described(error)}`
  if (parsed(body) === undefined) return `the body is no JSON${shown}`
  if (noWord.test(body)) return `the body holds ${noWord.exec(body)?.[0]}, which nobody has said${shown}`
  if (body.includes(theirs)) return `what is of another provider is sent${shown}`
  if (absent?.test(body) === true) return `it is called '${absent.exec(body)?.[0]}', which it is not${shown}`
  const [vague] = warningFaults(all)
  if (vague !== undefined) return `a warning ${vague}`
  const lost = marks.find((mark) => !holds(body, mark, isOwn === true ? undefined : read?.(parsed(body))))
  if (lost !== undefined && warnings.length === 0)
    return `'${lost.slice(0, 60)}' is not in the request, and nobody is told${shown}`
  const untrue = warnings.find(({ type }) => type === 'dropped')
  if (untrue !== undefined && lost === undefined && marks.length > 0)
    return `everything is in the request, and a warning says '${untrue.path}: ${untrue.message}'`
  const early = marks.find((mark, at) => at > 0 && body.indexOf(mark) < body.indexOf(marks[at - 1] ?? ''))
  if (inOrder === true && early !== undefined && warnings.length === 0 && !isJoined(marks, parsed(body)))
    return `'${early}' stands before '${marks[marks.indexOf(early) - 1]}', and nobody is told${shown}`
  if (apart !== undefined && warnings.length === 0) return mixedUp(apart, parsed(body), kinds)
  if (warnings.length > 0 || group === undefined) return undefined
  if (saysMore === true && body === least) return 'the request says nothing of it, and nobody is told'
  const sameBody = seen.get(body)
  seen.set(body, group)
  return sameBody === group ? `the request is that of another value of \`${group}\`, and nobody is told` : undefined
}

/** Where words are joined to one text, a file that stood between them has a place of its own. */
function isJoined([first = '', between = '', last = '']: readonly string[], body: unknown): boolean {
  const texts = textsIn(body).filter((text) => text.includes(first) && text.includes(last))
  return fileBytes.test(between) && texts.some((text) => !text.includes(between))
}

/** Whether it stands there, escaped by JSON once, twice or not at all; or where a reader of the subject's own finds its word. */
function holds(body: string, mark: string, view: RequestView | undefined): boolean {
  const word = /mark-\w+/.exec(mark)?.[0] ?? mark
  const texts = textsIn(view).filter((text) => text.includes(word))
  if (texts.length > 0) return texts.some((text) => text.includes(mark))
  const once = JSON.stringify(mark)
  return [mark, once.slice(1, -1), JSON.stringify(once.slice(1, -1)).slice(1, -1)].some((text) => body.includes(text))
}

/** What becomes of a value that is not there, where it is made a text. */
const noWord = /"(?:undefined|NaN|\[object \w+\])"/
/** Base64; other marks have a dash. */
const fileBytes = /^[\w+/]{20,}=*$/

function mixedUp(
  [text, kind]: readonly [string, string],
  body: unknown,
  kinds: Map<string, string>,
): string | undefined {
  for (const path of pathsOf(text, body)) {
    const known = kinds.get(path) ?? kind
    if (known !== kind) return `${kind} stands in \`${path}\`, where another request has ${known}`
    kinds.set(path, kind)
  }
  return undefined
}

/** Codes of what is known to be wrong before a request is sent. */
const refusals: ReadonlySet<string> = new Set(['missing-api-key', 'authentication', 'bad-request', 'unsupported'])

/** Either nothing goes out and the error says why, or what goes out stays at the provider's address, names the model and shows no empty key. */
function faultOfMade(
  { model: named }: SubjectAdapterOptions,
  { body, error, url, headers, adapter }: Sent,
  { least, baseURL }: { readonly least: Sent; readonly baseURL: string },
): string | undefined {
  if (body === undefined) {
    if (!AdapterError.isInstance(error)) return `it fails without an AdapterError: ${described(error)}`
    const { provider, model, code } = error
    if (!refusals.has(code)) return `the error is '${code}', which is none of ${[...refusals].join(', ')}`
    return provider === adapter.provider && model === adapter.model
      ? undefined
      : `the error is one of '${provider}/${model}', not of '${adapter.provider}/${adapter.model}'`
  }
  if (/^(Bearer)?$/.test(headers['authorization']?.trim() ?? '-')) return 'a request goes out with an empty key'
  const [asked, usual] = [new URL(url), new URL(least.url)]
  const stays =
    asked.origin === usual.origin &&
    asked.pathname.startsWith(new URL(baseURL).pathname) &&
    String([...asked.searchParams.keys()]) === String([...usual.searchParams.keys()])
  if (!stays) return `the request leads out of ${baseURL}: ${url}`
  const isNamed = named === undefined || `${decodeURIComponent(url)} ${body}`.includes(named)
  return isNamed ? undefined : `the request is not for the model '${named}': ${url}`
}
