import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

const looks = [
  answer(call('list_directory', { path: '.' })),
  answer(call('read_text_file', { path: 'shopping.txt' })),
  answer(say('Milk is there twice.'), call('write_file', { path: 'shopping.txt', content: 'milk\nbread\n' })),
]

export const mcpFilesTakes: readonly Take[] = [
  { answers: ['y'], model: [...looks, answer(say('Milk was on it twice; now it is there once.'))] },
  { answers: ['n'], model: [...looks, answer(say('Milk is on it twice. I have left the list as it is.'))] },
]
