import { expect, test } from 'vitest'
import { AdapterError } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failureOf, hasty, throws } from './parts.ts'

export function testPartialText(makeLoop: MakeWholeLoop): void {
  const cut = new AdapterError({ code: 'incomplete-stream', provider: 'scripted', model: 'scripted-1' })
  const half: ScriptedTurn = {
    parts: [
      { type: 'reasoning', text: 'hidden' },
      { type: 'text', text: 'The tunnel ' },
      { type: 'text', text: 'is ' },
    ],
    error: cut,
  }

  test('what an aborted turn had said is in the error, and can be kept in the conversation', async () => {
    const stop = new AbortController()
    const model = scriptedAdapter([['Hello ', 'world.'].map((text) => ({ type: 'text', text }) as const), 'Again.'])
    const loop = makeLoop({ model })
    const stream = loop.stream('Hi?', { abortSignal: stop.signal })
    for await (const event of stream) if (event.type === 'text-end') stop.abort()
    const { code, partialText = '', transcript } = await failureOf(stream.result)
    expect([code, transcript?.messages]).toEqual(['aborted', [{ role: 'user', content: 'Hi?' }]])
    expect(partialText).toMatch(/^Hello /)
    const kept = [{ role: 'assistant', content: partialText }] as const
    await loop.generate({ transcript, messages: kept, prompt: 'Go on.' })
    expect(model.requests[1]?.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('of a turn that was tried again the error tells what the last attempt said, without its reasoning', async () => {
    const model = scriptedAdapter([{ ...half, parts: [{ type: 'text', text: 'Another ' }] }, half])
    const { code, partialText } = await failureOf(
      makeLoop({
        model,
        maxRetries: 1,
        random: () => 0,
        clock: hasty,
      }).generate('Hi?'),
    )
    expect([code, partialText]).toEqual(['turn-failed', 'The tunnel is '])
  })

  test('a run that fails between its turns has no partial text, nor has a turn that said nothing', async () => {
    const finished = makeLoop({
      model: scriptedAdapter(['All of it.']),
      onStepEnd: throws(new Error('no')),
    })
    expect((await failureOf(finished.generate('Hi?'))).partialText).toBeUndefined()
    const silent = makeLoop({ model: scriptedAdapter([cut]), maxRetries: 0 })
    expect((await failureOf(silent.generate('Hi?'))).partialText).toBeUndefined()
  })

  test('an empty prompt is no message: alone it is refused, and beside others nothing is added', async () => {
    const model = scriptedAdapter(['Hi.', 'Ho.'])
    const loop = makeLoop({ model })
    for (const input of ['', { prompt: '' }])
      expect((await failureOf(loop.generate(input))).message).toContain('an empty prompt is none')
    expect(model.requests).toEqual([])
    const worded = makeLoop({ model: scriptedAdapter(['Hi.']), prepareStep: () => undefined })
    expect((await worded.generate('')).transcript.messages[0]).toEqual({ role: 'user', content: '' })
    const { transcript } = await loop.generate({ messages: [{ role: 'user', content: 'Hi?' }], prompt: '' })
    expect(transcript.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })
}
