import { expect, test, vi } from 'vitest'
import { CassetteError } from './errors.ts'

test('an error of another copy of the package is recognised', async () => {
  vi.resetModules()
  const copy = await import('./errors.ts')
  const error = new copy.CassetteError('missing', { what: 'Gone.', fix: 'Look.' })
  expect(error).not.toBeInstanceOf(CassetteError)
  expect(CassetteError.isInstance(error)).toBe(true)
  expect(CassetteError.isInstance(new Error('Gone.'))).toBe(false)
  expect(CassetteError.isInstance(undefined)).toBe(false)
})

test('the message has the file, the location, what happened and the fix', () => {
  const error = new CassetteError('hash', { file: 'a.yaml', location: 'line 3', what: 'Edited.', fix: 'Restore it.' })
  expect(error.message).toBe('a.yaml, line 3: Edited. Restore it.')
})

test('after a list the fix stands on a line of its own', () => {
  const error = new CassetteError('unconsumed', { what: 'Left over:\n  exchange 1\n', fix: 'Record anew.' })
  expect(error.message).toBe('Left over:\n  exchange 1\nRecord anew.')
})
