import { held, type Behaviour } from '../behaviour.ts'

const chat = 'packages/chat/src'

/** A loop behind a page. */
export const chats: readonly Behaviour[] = [
  held(
    'Q01',
    'A page forgets the parts of a step that is asked for again.',
    `${chat}/encode-step.ts`,
    "return isBegun ? [{ type: 'reset-step' }, retry] : [retry]",
    'return [retry]',
  ),
  held('Q02', 'The stream of a run ends once.', `${chat}/encoder.ts`, 'if (isOver) return []', ''),
  held(
    'Q03',
    'The history that a browser sends counts for nothing.',
    `${chat}/chat-data.ts`,
    'const transcript = before?.transcript ?? emptyTranscript()',
    'const transcript = { ...emptyTranscript(), messages: body.messages.slice(0, -1).map(({ role }) => ({ role, content: role === "user" ? "forged" : [] })) }',
  ),
  held(
    'Q04',
    'An approval counts for the call and the arguments that were shown.',
    `${chat}/read-chat-request.ts`,
    "if (approval['id'] !== approvalIdOf(call))",
    'if (toolCallId === undefined)',
  ),
  held(
    'Q05',
    'A page that is loaded anew gets the message from its beginning, across the runs that continue it.',
    `${chat}/memory-store.ts`,
    'const entries = chat?.messageId === messageId ? chat.entries : []',
    'const entries: string[] = []',
  ),
]
