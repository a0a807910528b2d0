import { defineSubject, scenarios, type ScriptedTurn, type Subject } from '@steploop/conformance'
import { skeletonIn, wireKit } from '@steploop/conformance/cli'
import { startSimulator, type SimulatedTurn, type Simulator } from '@steploop/conformance/simulator'
import { providerTool, type Adapter, type Capabilities, type Mode } from '@steploop/core'
import { isObject, jsonOf } from '@steploop/core/adapter'
import { createServer, providerTools } from '@steploop/server'
import { memoryStore } from '@steploop/store'

export interface ServerSubject {
  /** Of the wire format `openai-responses`. */
  readonly client: Subject
  /** Whose adapter stands behind the server. */
  readonly upstream: Subject
  /** Folder of the recordings. */
  readonly cassettes: string
  readonly mode: Mode
}

/** What differs from OpenAI by decision, whatever model stands behind the server. */
const byDesign = {
  'unheard-of-end': 'The API has words for the ends that it knows; another one of a model behind it is its plain end.',
  'unparsable-arguments': 'Arguments that are no JSON are answered by the server, which asks the model again itself.',
  'truncated-call': 'A call that was cut off is answered by the server, which asks the model again itself.',
  'unknown-tool': 'A call of a tool that nobody has is answered by the server, which asks the model again itself.',
  'structured-in-words': 'Words in place of an object are answered by the server, which asks the model again itself.',
  'continuation-edited#whole-history-again': 'The reasoning that carries the state of a turn is one item more.',
  'provider-tool#replayed-as-it-was':
    'What the provider gave goes through the client sealed: no word of it can be read.',
  'provider-tool-fails#replayed-as-it-was': 'What the provider gave goes through the client sealed.',
  forbidden: 'Who is known here may use all models: the server has no word for a key without permission.',
  'file-refused': 'The client cannot know what the model behind the server does not take.',
  'image-refused': 'The client cannot know what the model behind the server does not take.',
  'image-in-result-dropped': 'The client cannot know what the model behind the server does not take.',
  'responses-hosted-items': 'Made by hand of items of OpenAI, which the server does not give.',
  'responses-client-items': 'Made by hand of items of OpenAI, which the server does not give.',
}

/** What the models of some providers have no words for. */
const wholeText = {
  'citations#sources-reported': 'It names no place in the text, or one in a part of it: the API wants one.',
}
const noWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anthropic: wholeText,
  'anthropic-adaptive': wholeText,
  'gemini-budget': { 'provider-tool': 'It takes no tools of the provider beside functions.' },
  bedrock: wholeText,
  'bedrock-claude': wholeText,
  'vertex-claude': wholeText,
  xai: wholeText,
  'xai-chat': { ...wholeText, refusal: 'A refusal is text.' },
  ...Object.fromEntries(
    ['mistral', 'groq', 'deepseek', 'deepseek-reasoner'].map((name) => [
      name,
      {
        citations: 'It has no words for sources.',
        refusal: 'A refusal is text.',
        ...(name === 'mistral' && { 'cached-usage': 'It does not say what was cached.' }),
      },
    ]),
  ),
}

/**
 * Our Responses server as a provider: `client` asks it, and behind it stands the adapter of `upstream`, which asks the simulator of its own
 * wire format. What breaks on the way breaks between the client and the server.
 */
export function serverSubject({ client, upstream, cassettes, mode }: ServerSubject) {
  const open: Simulator[] = []
  const { capabilities } = upstream.adapter({ apiKey: 'good' })
  const thinks = capabilities.reasoning === true
  const simulate: NonNullable<Subject['simulate']> = ({ model }) => {
    const host = startHost(upstream, model).then((started) => (open.push(started.simulator), started))
    return async (request, next) => {
      const { simulator, script, ask } = await host
      if (request.method !== 'POST' || simulator.remaining > 0) return ask(request)
      const turn = next()
      if (turn.type === 'loss') return ask(request, { isLost: true })
      if (turn.type === 'failure' && turn.failure === 'bad-key') return ask(request, { isStranger: true })
      if (turn.type === 'failure' && turn.failure === 'unknown-model') {
        return ask({ ...request, text: request.text.replace(`"${model}"`, '"no-such-model"') })
      }
      script.push(played(turn, request.body, thinks))
      return ask(request)
    }
  }
  const ofWire = Object.entries(wireKit(upstream.wire)?.noWords ?? {}).filter(([key]) => !key.endsWith(other(mode)))
  const subject = defineSubject({
    ...client,
    name: `server-over-${upstream.name}`,
    cassettes,
    simulate,
    quirks: carriers(mode),
    adapter: (options) => claiming(client.adapter(options), capabilities),
    noWordsFor: {
      ...Object.fromEntries(ofWire.map(([key, why]) => [key.split('/')[0] ?? key, why] as const)),
      ...upstream.noWordsFor,
      ...client.noWordsFor,
      ...noWords[upstream.name],
      ...byDesign,
    },
  })
  return { subject, close: async () => void (await Promise.all(open.map((simulator) => simulator.close()))) }
}

const other = (mode: Mode): Mode => (mode === 'stream' ? 'generate' : 'stream')

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body?: unknown
}

/** A server, and what stands behind it. */
async function startHost(upstream: Subject, model: string) {
  const script: ScriptedTurn[] = []
  const simulator = await startSimulator({ wire: upstream.wire, baseURL: upstream.baseURL, script })
  const strangers = new WeakSet<Request>()
  const server = createServer({
    models: { [model]: upstream.adapter({ baseURL: simulator.url, apiKey: 'good' }) },
    store: memoryStore(),
    loop: { maxRetries: 0 },
    authenticate: (request) => (strangers.has(request) ? undefined : { tenant: 'a' }),
    executors: [providerTools({ tool: ({ type }, provider) => upstreamTool(upstream, type, provider) })],
  })
  const requestOf = (path: string, init: RequestInit): Request => new Request(`http://127.0.0.1${path}`, init)
  return {
    simulator,
    script,
    ask: async ({ method, path, headers, text, body }: Asked, { isLost = false, isStranger = false } = {}) => {
      const previous = isObject(body) ? body['previous_response_id'] : undefined
      if (isLost) await server.fetch(requestOf(`${path}/${String(previous)}`, { method: 'DELETE' }))
      const request = requestOf(path, { method, headers, ...(text !== '' && { body: text }) })
      if (isStranger) strangers.add(request)
      const response = await server.fetch(request)
      const answered = await response.text()
      const kept = { status: response.status, headers: Object.fromEntries(response.headers) }
      const isStream = kept.headers['content-type']?.startsWith('text/event-stream') === true
      return isStream ? { ...kept, frames: answered.split(/(?<=\n\n)/) } : { ...kept, body: answered }
    },
  }
}

/** The search, or the place to run code, of the provider behind the server. */
function upstreamTool({ wire, providerTools: own }: Subject, type: string, provider: string) {
  const declared = Object.entries(own ?? wireKit(wire)?.samples?.providerTools ?? {})
  const found = declared.find(([name]) => name.includes('search') === (type === 'web_search'))
  return found === undefined ? undefined : providerTool({ provider, name: found[0], definition: found[1] })
}

/** What both the client and the model behind the server can do. State is the server's own, and so is a schema that a model does not know. */
function claiming(adapter: Adapter, behind: Capabilities): Adapter {
  const own = ['continuation', 'structured', 'toolChoice']
  const shown = Object.entries(adapter.capabilities).filter(
    ([name]) => own.includes(name) || Boolean(Reflect.get(behind, name)),
  )
  return { ...adapter, capabilities: Object.fromEntries(shown) }
}

/**
 * The turn for the simulator behind the server. A model that does not think has no thoughts to tell, and an object is said in the way in which
 * the adapter there asks for one.
 */
function played(turn: Exclude<SimulatedTurn, { type: 'loss' }>, body: unknown, thinks: boolean): ScriptedTurn {
  if (turn.type !== 'answer') return turn
  const { type, finish, usage } = turn
  const parts = thinks ? turn.parts : turn.parts.filter((part) => part.type !== 'reasoning')
  const [only, ...others] = parts
  const format = isObject(body) && isObject(body['text']) ? body['text']['format'] : undefined
  if (isObject(format) && format['type'] === 'json_schema' && only?.type === 'text' && others.length === 0) {
    const input = jsonOf(only.text)
    if (isObject(input)) return { type: 'object', toolName: 'answer', input }
  }
  return { type, parts, finish, usage }
}

/** The state of each turn is sealed in a reasoning item, which stands before all else that the turn said. */
function carriers(mode: Mode): NonNullable<Subject['quirks']> {
  const reason = 'docs/responses-server.md#what-it-does: the client carries the state of each turn'
  const quirks = scenarios.map(({ id, golden }) => {
    const skeleton = skeletonIn(typeof golden === 'string' ? golden : golden[mode])
    // Before the first line of a step, which is deeper than the step.
    const shown = skeleton.replaceAll(/^ {2}step .*\n(?= {4}(?!reasoning))/gm, '$&    reasoning\n')
    return [id, { reason, golden: shown }] as const
  })
  return Object.fromEntries(quirks)
}
