import type { Behaviour } from './behaviour.ts'
import { chats } from './catalogue/chat.ts'
import { dispatch } from './catalogue/dispatch.ts'
import { expected, suite } from './catalogue/expected.ts'
import { history } from './catalogue/history.ts'
import { limits } from './catalogue/limits.ts'
import { loop } from './catalogue/loop.ts'
import { hooks, policies } from './catalogue/policies.ts'
import { streaming } from './catalogue/streaming.ts'
import { structured, usage } from './catalogue/structured.ts'

/** Everything that the loop was asked to do, in the order of the list that it comes from. */
export const catalogue: readonly Behaviour[] = [
  ...loop,
  ...limits,
  ...dispatch,
  ...history,
  ...streaming,
  ...structured,
  ...policies,
  ...hooks,
  ...usage,
  ...suite,
  ...expected,
  ...chats,
]
