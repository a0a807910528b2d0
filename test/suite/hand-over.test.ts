import { runConformance, type Scenario, type Subject } from '@steploop/conformance'
import { finishedTranscript, handOver } from '@steploop/conformance/cli'
import type { Message, Mode } from '@steploop/core'
import { describe, expect, test, vi } from 'vitest'
import config from '../../steploop.config.ts'
import { faulty } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

// Many runs, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const { subjects } = config

const modes: readonly Mode[] = ['generate', 'stream']

/** A model that thinks before it calls and before it answers, as far as the provider shows it. */
const thoughtful: Scenario = {
  id: 'hand-over-thoughts',
  title: 'Thoughts before a call and before the answer.',
  appliesTo: { requires: ['tools'] },
  script: [
    {
      type: 'answer',
      parts: [
        { type: 'reasoning', text: 'Zuerst das Wetter, dann die Antwort.' },
        { type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } },
      ],
    },
    {
      type: 'answer',
      parts: [
        { type: 'reasoning', text: 'Sieben Grad, also kühl.' },
        { type: 'text', text: 'In Zürich ist es kühl, 7 °C.' },
      ],
    },
  ],
  golden: '',
  checks: [],
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Ist es in Zürich kühl?', { tools: { get_weather }, reasoning: 'medium' })
  },
}

interface Handed {
  readonly pairs: number
  readonly failures: readonly string[]
  readonly survived: number
}

async function handToAll(from: Subject, others: readonly Subject[], scenario: Scenario, mode: Mode): Promise<Handed> {
  const { transcript, simulated } = await finishedTranscript(from, scenario, mode)
  const outcomes = await handOver({ transcript, from, others, mode, knowsSignatures: simulated })
  const failures = outcomes.flatMap((outcome) => outcome.failures.map(({ message }) => message))
  return { pairs: outcomes.length, failures, survived: Math.min(...outcomes.map(({ survived }) => survived)) }
}

// Who cannot think takes over, and has no thoughts to hand over.
const thinking = subjects.filter(({ limits }) => limits?.reasoning === undefined)

describe.each(thinking)('a finished history of $name', (from) => {
  const others = subjects.filter((subject) => subject !== from)

  test.each(modes)(
    'a finished history with thoughts is continued by every other provider and then by its own, in %s mode',
    async (mode) => {
      const { pairs, failures, survived } = await handToAll(from, others, thoughtful, mode)
      expect(failures).toEqual([])
      expect(pairs).toBe(subjects.length - 1)
      // Thoughts, plain, signed or encrypted, came back to the one who had them.
      expect(survived).toBeGreaterThan(0)
    },
  )
})

/** The subject with an adapter that changes the history before it encodes it. */
function broken(name: string, change: (messages: readonly Message[]) => readonly Message[]): Subject {
  return faulty(subjectNamed(name), (adapter) => (request, context) => {
    return adapter.turn({ ...request, messages: change(request.messages) }, context)
  })
}

/** JSON data with each member of that name replaced. */
function replaced(messages: readonly Message[], name: string, value: (old: unknown) => unknown): readonly Message[] {
  const text = JSON.stringify(messages, (key, old: unknown) => (key === name ? value(old) : old))
  return JSON.parse(text) as readonly Message[]
}

const isAssistant = ({ role }: Message): boolean => role === 'assistant'

test.each([
  {
    bug: "takes a stranger's payloads for its own",
    to: broken('xai', (messages) => replaced(messages, 'provider', () => 'xai')),
    message: /a payload of openai is in the body/,
  },
  {
    bug: 'forgets thoughts without a word',
    to: broken('xai-chat', (messages) => JSON.parse(JSON.stringify(messages).replaceAll('"reasoning"', '"file"'))),
    message: /reasoning parts are left out without a warning/,
  },
  {
    bug: 'loses the first text',
    to: broken('ollama', (messages) => replaced(messages, 'text', () => 'x')),
    message: /the text .* is lost/,
  },
  {
    bug: 'tells all calls again',
    to: broken('ollama', (messages) => [...messages.slice(0, 3), ...messages.slice(1)]),
    message: /the calls should be/,
  },
  {
    bug: 'swaps results',
    to: broken('gemini', (messages) => replaced(messages, 'celsius', () => 8)),
    message: /the result of get_weather is .*8/,
  },
  {
    bug: 'leaves the turns of others out',
    to: broken('anthropic', (messages) => messages.filter((message, at) => !isAssistant(message) || at > 3)),
    message: /refused with 400/,
  },
])('a provider that $bug is found', async ({ to, message }) => {
  const { failures } = await handToAll(subjectNamed('openai'), [to], thoughtful, 'generate')
  expect(failures.join('\n')).toMatch(message)
})

test('an adapter that stands alone takes over what another would have begun', async () => {
  const stressed = async (subject: Subject): Promise<string> => {
    const only = {
      scenario: ['reasoning-replay'],
      mode: 'stream',
      stress: ['hand-over'],
      frontEnds: ['fetch'],
    } as const
    const { cases } = await runConformance([subject], only)
    return cases
      .flatMap(({ checks }) => checks.filter(({ id }) => id === 'hand-over'))
      .map(({ verdict, failures }) => `${verdict} ${failures[0]?.message ?? ''}`)
      .join()
  }
  expect(await stressed(subjectNamed('anthropic'))).toBe('pass ')
  const credulous = broken('anthropic', (messages) => replaced(messages, 'provider', () => 'anthropic'))
  expect(await stressed(credulous)).toMatch(/fail anthropic -> anthropic: a payload of anthropic is in the body/)
})
