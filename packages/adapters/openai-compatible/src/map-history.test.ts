import type { Message } from '@steploop/core/adapter'
import { expect, test, vi } from 'vitest'
import { mapHistory } from './map-history.ts'

const user = (content: string): Message => ({ role: 'user', content })
const marker = user('marker')

test('a history that grows gives one copy that grows, each message changed once', () => {
  const change = vi.fn((message: Message, before: Message | undefined) => (before ? [marker, message] : [message]))
  const map = mapHistory(change)
  const history = [user('one')]
  const copy = map(history)
  expect(copy).toEqual([user('one')])
  history.push(user('two'))
  expect(map(history)).toBe(copy)
  expect(copy).toEqual([user('one'), marker, user('two')])
  expect(change).toHaveBeenCalledTimes(2)
})
