import { scenarios, type Scenario } from '@steploop/conformance'
import { expect, test } from 'vitest'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../../config/load-config.ts'
import { playsOf, unplayable } from './play-script.ts'

const { subjects } = await loadConfig(fileURLToPath(new URL('../../../../../live.config.ts', import.meta.url)))

const named = (id: string): Scenario => scenarios.find((scenario) => scenario.id === id)!
const llama = subjects.filter(({ name }) => name.startsWith('llama-'))

test('subjects of three wire formats that ask alike share a play: what is due after which conversation', async () => {
  const plays = await playsOf(named('single-call'), llama, ['generate', 'stream'])
  expect(plays).toHaveLength(1)
  const [play] = plays
  expect(play?.subjects.map(({ name }) => name)).toEqual(['llama-chat', 'llama-responses', 'llama-messages'])
  expect(play?.cues.map(({ print }) => print.replace(/\[.*\]/, '[]'))).toEqual(['U[]', 'U[]AT'])
  expect(play?.answers[0]?.text).toMatch(/^<tool_call>\n\{"name": "get_weather", "arguments": \{.*\}\}\n<\/tool_call>$/)
})

test('an object is text where the request asks for one, and a call where it offers the tool', async () => {
  const plays = await playsOf(named('structured'), llama, ['generate'])
  const byName = plays.flatMap((play) => play.subjects.map(({ name }) => [name, play.answers[0]?.text[0]]))
  expect(Object.fromEntries(byName)).toEqual({ 'llama-chat': '{', 'llama-responses': '{', 'llama-messages': '<' })
})

test.each([
  ['look alike cannot', 'Grüezi', 0],
  ['differ can', 'Adieu', 1],
])('turns that are due after conversations that %s be played', async (_how, secondWords, plays) => {
  const [first, second] = ['text-only', 'single-call'].map(named)
  const twice: Scenario = {
    ...named('text-only'),
    script: [...first!.script.slice(-1), ...second!.script.slice(-1)],
    async run({ run }) {
      await run('Grüezi')
      await run(secondWords)
    },
  }
  expect(await playsOf(twice, llama, ['generate'])).toHaveLength(plays)
})

test.each([
  ['overloaded', 'failure'],
  ['provider-tool', 'provider-call'],
  ['html-error-page', 'breakage'],
])('weights cannot play `%s`: %s', (id, what) => {
  expect(unplayable(named(id))).toContain(what)
})

test('weights can play answers, and what a server does to a wrong key', () => {
  expect([unplayable(named('single-call')), unplayable(named('bad-key'))]).toEqual([undefined, undefined])
})
