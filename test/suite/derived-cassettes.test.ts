import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printCassette, readCassette } from '@steploop/cassette'
import { scenarios, type Scenario, type Subject } from '@steploop/conformance'
import { deriveCassette, existsFor } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import aiSdk from '../../packages/adapters/ai-sdk/conformance.config.ts'
import config from '../../steploop.config.ts'
import { findFiles, repository } from '../repository/source-files.ts'

type Mode = 'generate' | 'stream'

interface DerivedCase {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly derivation: NonNullable<Scenario['derived']>
  readonly mode: Mode
}

const modes: readonly Mode[] = ['generate', 'stream']

const pathOf = (subject: Subject, scenario: string, mode: Mode): string =>
  `${fileURLToPath(subject.cassettes)}${scenario}.${mode}.yaml`

/** Packages of others cannot play every quirk, and then there is nothing to derive for them. */
const others: readonly Subject[] = aiSdk.subjects

const cases: readonly (readonly [address: string, DerivedCase])[] = [...config.subjects, ...others].flatMap((subject) =>
  scenarios.flatMap((scenario) =>
    modes.flatMap((mode) => {
      const { derived: derivation } = scenario
      if (derivation === undefined || !existsFor(scenario, subject, mode)) return []
      if (others.includes(subject) && !existsSync(pathOf(subject, scenario.id, mode))) return []
      return [[`${subject.name}/${scenario.id}/${mode}`, { subject, scenario, derivation, mode }] as const]
    }),
  ),
)

test.each(cases)(
  'a derived cassette of %s is what its recipe makes of its base, byte by byte, and not its base',
  (_, one) => {
    const { subject, scenario, derivation, mode } = one
    const made = deriveCassette(subject, scenario.id, derivation, mode)
    expect(printCassette(made)).toBe(readFileSync(pathOf(subject, scenario.id, mode), 'utf8'))
    const base = readCassette(pathOf(subject, derivation.from, mode))
    expect(made.exchanges).not.toEqual(base.exchanges)
    expect(made.header.origin).toMatchObject({ kind: 'derived', date: base.header.origin.date })
    expect(['simulated', 'live', 'local']).toContain(base.header.origin.kind)
  },
)

test('a derived cassette is never on its own: each file that says so belongs to a recipe', () => {
  const said = findFiles('cassettes/*/*.yaml').filter((path) =>
    /^ {2}kind: "derived"$/m.test(readFileSync(`${repository}/${path}`, 'utf8').slice(0, 600)),
  )
  const known = cases.map(([, { subject, scenario, mode }]) => `cassettes/${subject.name}/${scenario.id}.${mode}.yaml`)
  expect(said.toSorted()).toEqual(known.toSorted())
})

/** What the simulators do as the providers do it, so that shared scenarios hold it already. */
const shown: readonly (readonly [wire: string, cassette: string, pattern: RegExp])[] = [
  ['docs/wire.md#line-ends: Gemini ends lines with CR LF', 'gemini/text-only.stream', /\r\n\r\n/],
  [
    'docs/wire.md#comments-in-a-stream: OpenRouter sends comments first',
    'openrouter/text-only.stream',
    /^: OPENROUTER PROCESSING$/m,
  ],
  ['docs/wire.md#error-events-of-groq: Groq names its error event', 'groq/error-mid-stream.stream', /^event: error$/m],
  ['docs/wire.md#padding: Anthropic pads its events', 'anthropic/text-only.stream', /\} +\}$/m],
  [
    'docs/wire.md#errors-inside-a-200: a Responses error is told twice',
    'openai/error-mid-stream.stream',
    /event: error\n[^]*?event: response\.failed/,
  ],
  [
    'docs/wire.md#errors-inside-a-200: OpenRouter puts the error beside a choice',
    'openrouter/error-mid-stream.stream',
    /"error":\{"code":\d+[^\n]*"choices"/,
  ],
  [
    'docs/wire.md#errors-inside-a-200: Groq gives back what it could not read',
    'groq/groq-tool-use-failed.stream',
    /event: error\n[^\n]*"failed_generation"/,
  ],
  [
    'docs/wire.md#chat-usage: usage stands in a chunk without choices',
    'openai-compatible/text-only.stream',
    /"usage":\{[^\n]*"choices":\[\]/,
  ],
  [
    'docs/wire.md#chat-chunks-without-choices: Azure opens with a chunk without choices and id',
    'azure-chat/text-only.stream',
    /"choices":\[\],"created":0,"id":""/,
  ],
  [
    'docs/wire.md#chat-finish-reasons: OpenRouter says its finish reason twice',
    'openrouter/text-only.stream',
    /("finish_reason":"stop"[^]*){2}/,
  ],
  [
    'docs/wire.md#chat-finish-reasons: xAI has no finish reason until there is one',
    'xai-chat/text-only.stream',
    /"delta":\{"content":"[^"]*"\}\}\]/,
  ],
  [
    'docs/wire.md#chat-fragments-of-calls: Mistral’s calls are whole, in the finish chunk, without an index',
    'mistral/single-call.stream',
    /"tool_calls":\[\{"id":"[a-zA-Z0-9]{9}","function":[^\n]*"finish_reason":"tool_calls"/,
  ],
  [
    'docs/wire.md#chat-whole-calls: OpenRouter leaves out arguments that are empty',
    'openrouter/no-arguments.generate',
    /"function":\{"name":"list_alerts"\}/,
  ],
  [
    'docs/wire.md#chat-content: Mistral’s content is a list while it thinks',
    'mistral/reasoning-text.stream',
    /"content":\[\{"type":"thinking"/,
  ],
  [
    'docs/wire.md#chat-names-of-reasoning: OpenRouter names a thought twice',
    'openrouter/reasoning-text.stream',
    /"reasoning":"[^"]+","reasoning_details":\[/,
  ],
  [
    'docs/wire.md#deepseek: DeepSeek’s calls come back with their thought',
    'deepseek-reasoner/reasoning-replay.stream',
    /"reasoning_content": "[^"]+",?\n[^]*"tool_calls"|"tool_calls"[^]*"reasoning_content": "/,
  ],
  [
    'docs/wire.md#responses-repeated-call-ids: an id is used again in a later turn',
    'openai/repeated-ids.stream',
    /("call_id":"call_0"[^]*){2}|("call_id": ?"[^"]+"[^]*){2}/,
  ],
  [
    'docs/wire.md#responses-mixed-output: text and call stand in one output',
    'openai/text-then-call.generate',
    /"type":"message"[^\n]*"type":"function_call"/,
  ],
  [
    'docs/wire.md#anthropic-pings: Anthropic pings between start and delta',
    'anthropic/text-only.stream',
    /content_block_start[^]*?event: ping[^]*?content_block_delta/,
  ],
  [
    'docs/wire.md#anthropic-empty-input: input begins with an empty delta',
    'anthropic/no-arguments.stream',
    /"partial_json":""/,
  ],
  ['docs/wire.md#anthropic-stop-reasons: a paused turn', 'anthropic/pause-turn.stream', /"stop_reason":"pause_turn"/],
  [
    'docs/wire.md#anthropic-callers: a call says who called',
    'anthropic/single-call.stream',
    /"caller":\{"type":"direct"\}/,
  ],
  [
    'docs/wire.md#gemini-finish-reasons: Gemini ends calls with STOP',
    'gemini/single-call.generate',
    /"functionCall"[^\n]*"finishReason":"STOP"/,
  ],
  [
    'docs/wire.md#gemini-signatures: only the first of several calls is signed',
    'gemini/parallel-calls.generate',
    /"thoughtSignature":[^\n]*\},\{"functionCall":\{"name":"get_time"[^}]*\}[^}]*\}\}/,
  ],
  [
    'docs/wire.md#gemini-signatures: an empty text at the end is signed',
    'gemini/text-only.stream',
    /"text":"","thoughtSignature"/,
  ],
  [
    'docs/wire.md#gemini-missing-parts: a candidate without parts',
    'gemini/empty-answer.generate',
    /"content":\{"role":"model"\}/,
  ],
  [
    'docs/wire.md#gemini-usage-in-a-stream: usage in every chunk, growing',
    'gemini/text-only.stream',
    /("usageMetadata":\{"promptTokenCount"[^]*){3}/,
  ],
  [
    'docs/wire.md#ollama: Ollama says stop beside calls, each in a line of its own',
    'ollama/parallel-calls.stream',
    /get_weather[^\n]*"done":false\}\n[^\n]*get_time[^\n]*\n[^\n]*"done_reason":"stop"/,
  ],
  [
    'docs/wire.md#xai: xAI counts its thoughts apart',
    'xai-chat/reasoning-text.generate',
    /"completion_tokens":16,"total_tokens":147/,
  ],
]

/** What went over the wire, both ways, as text. */
function conversation(cassette: string): string {
  const { exchanges } = readCassette(`${repository}/cassettes/${cassette}.yaml`)
  const decoder = new TextDecoder()
  return exchanges
    .flatMap(({ request, response }) => [decoder.decode(request.body), decoder.decode(response.body)])
    .join('\n')
}

test.each(shown)('%s, and a cassette that every adapter has to read shows it', (_, cassette, pattern) => {
  expect(conversation(cassette)).toMatch(pattern)
})
