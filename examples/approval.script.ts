import type { Take } from './example.ts'
import { answer, call, say } from './script-words.ts'

const asked = answer(call('delete_file', { path: 'draft.txt' }))

export const approvalTakes: readonly Take[] = [
  { answers: ['y'], model: [asked, answer(say('draft.txt is deleted.'))] },
  { answers: ['n'], model: [asked, answer(say('All right, draft.txt stays.'))] },
]
