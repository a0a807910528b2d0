import { setTimeout as sleep } from 'node:timers/promises'

/** What the slow model says: a piece every so often, and the id of who asked in each, so that mixed streams are seen. */
export const pieces = 50
export const pauseMs = 100

export async function* say(id: string): AsyncGenerator<string, undefined> {
  for (let piece = 0; piece < pieces; piece++) {
    await sleep(pauseMs)
    yield `${id} says piece ${piece}. `
  }
  return undefined
}
