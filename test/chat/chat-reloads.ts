import { isDeepStrictEqual } from 'node:util'
import { createChat, memoryStore, type Chat } from '@steploop/chat'
import type { LoopEvent, RunInput, RunResult, ToolAnswer, Transcript } from '@steploop/core'
import {
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai'
import { openPage as open, tick, type Page } from '../../packages/chat/test/testing.ts'

/** A run as it was seen: a chat that plays it again says the same, whoever asks. */
export interface ObservedRun {
  readonly input: RunInput
  readonly events: readonly LoopEvent[]
}

/** What a page does to have the run begun. */
type Action =
  | { readonly type: 'say' }
  | { readonly type: 'answer'; readonly toolOutputs: Readonly<Record<string, ToolAnswer>> }

/** Runs of one conversation, one after the other, as a page can ask for them. */
export type Conversation = readonly { readonly action: Action; readonly events: readonly LoopEvent[] }[]

const plain = (value: unknown): string => JSON.stringify(value)

function resultOf({ events }: ObservedRun): RunResult | undefined {
  const last = events.at(-1)
  return last?.type === 'run-end' ? last.result : undefined
}

/** What a page would do; `undefined` for what none does: it goes on without a word, or answers some of the calls that wait. */
function actionOf(input: RunInput, before: Transcript | undefined): Action | undefined {
  if (typeof input === 'string') return { type: 'say' }
  if ('version' in input) return undefined
  const { transcript, messages = [], prompt = '', toolOutputs } = input
  if (prompt !== '' || messages.length > 0) return { type: 'say' }
  const asked = before?.pendingCalls ?? []
  if (toolOutputs === undefined || transcript === undefined || asked.length === 0) return undefined
  return asked.every(({ toolCallId }) => Object.hasOwn(toolOutputs, toolCallId))
    ? { type: 'answer', toolOutputs }
    : undefined
}

/** The runs of one scenario as conversations: one goes on where it is given the transcript that another ended with. */
export function conversationsOf(runs: readonly ObservedRun[]): readonly Conversation[] {
  const found: { action: Action; events: readonly LoopEvent[] }[][] = []
  let before: Transcript | undefined
  for (const run of runs) {
    const { input, events } = run
    const given = typeof input === 'string' ? undefined : 'version' in input ? input : input.transcript
    const goesOn = before !== undefined && given !== undefined && plain(given.messages) === plain(before.messages)
    const action = actionOf(input, goesOn ? before : undefined)
    before = action === undefined ? undefined : resultOf(run)?.transcript
    if (action === undefined) continue
    if (goesOn) found.at(-1)?.push({ action, events })
    else found.push([{ action, events }])
  }
  return found
}

/** Opens the page of a chat that goes on by itself once its user has answered. */
export async function openPage(chat: Chat, id: string): Promise<Page> {
  const { page } = await open(chat, {
    id,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
  return page
}

/** Parts but for ids, states of tools and decisions. */
export const shownParts = (parts: readonly unknown[] = []): unknown[] =>
  (JSON.parse(JSON.stringify(parts)) as Record<string, unknown>[])
    .filter(({ type }) => type !== 'data-tool-state')
    .map(({ approval: _approval, sourceId: _source, id: _id, ...part }) => part)

interface AnyMessage {
  readonly parts: readonly unknown[]
  readonly metadata?: unknown
}

const shownMessage = (message: AnyMessage | undefined): unknown =>
  message && { parts: shownParts(message.parts), metadata: JSON.parse(plain(message.metadata ?? null)) as unknown }

/** At most this many ticks does a run take. */
const mostTicks = 40

async function* replay(events: readonly LoopEvent[]): AsyncGenerator<LoopEvent> {
  const perTick = Math.ceil(events.length / mostTicks)
  for (const [index, event] of events.entries()) {
    if (index % perTick === 0) await tick()
    yield event
  }
}

async function act(page: Page, action: Action): Promise<void> {
  if (action.type === 'say') return page.sendMessage({ text: 'Go on.' })
  for (const part of page.lastMessage?.parts ?? []) {
    if (!isToolUIPart(part)) continue
    const { toolCallId } = part
    const answer = Object.hasOwn(action.toolOutputs, toolCallId) ? action.toolOutputs[toolCallId] : undefined
    if (answer === undefined) continue
    if (part.state === 'approval-requested' && 'approved' in answer) {
      const { approved } = answer
      const input = 'input' in answer ? answer.input : undefined
      const options = { body: { toolInputs: input === undefined ? {} : { [toolCallId]: input } } }
      await page.addToolApprovalResponse({ id: part.approval.id, approved, options })
    }
    if (part.state !== 'input-available') continue
    const call = { tool: part.type.slice('tool-'.length), toolCallId }
    if ('error' in answer) await page.addToolOutput({ ...call, state: 'output-error', errorText: plain(answer.error) })
    else if ('output' in answer) await page.addToolOutput({ ...call, output: answer.output })
  }
}

/** Plays a conversation to its end; the page is closed and opened again in the given ticks. */
async function playChat(conversation: Conversation, reloads: ReadonlySet<number> = new Set()) {
  let begun = 0
  const stream = () => replay(conversation[begun++]?.events ?? []) as never
  const chat = createChat({ loop: { stream }, store: memoryStore() })
  const id = 'chat'
  let page = await openPage(chat, id)
  let ticks = 0
  for (const { action } of conversation) {
    void act(page, action)
    for (let quiet = 0; quiet < 4; ticks++) {
      await tick()
      if (reloads.has(ticks) || (reloads.size > 0 && page.status === 'error')) {
        const closed = page
        page = await openPage(chat, id)
        void closed.stop()
        quiet = 0
      }
      quiet = page.status === 'streaming' || page.status === 'submitted' ? 0 : quiet + 1
    }
  }
  const stored = (await chat.load(id)).messages.findLast(({ role }) => role === 'assistant')
  const shown = page.messages.findLast(({ role }) => role === 'assistant')
  return {
    ticks,
    begun,
    shown: shownMessage(shown),
    stored: shownMessage(stored),
  }
}

/** The same numbers from 0 to below 1 for the same seed. */
export function* seeded(seed: number): Generator<number, never> {
  for (let state = 1 + (Math.abs(seed) % 2147483646); ;) {
    state = (state * 48271) % 2147483647
    yield state / 2147483647
  }
}

/** In how many moments the page was loaded anew, and what was other than in an undisturbed run. */
export async function reloaded(conversation: Conversation, moments: number, random: Iterator<number, never>) {
  const undisturbed = await playChat(conversation)
  const found: string[] = []
  if (undisturbed.begun !== conversation.length) found.push(`${undisturbed.begun} of ${conversation.length} runs began`)
  if (!isDeepStrictEqual(undisturbed.shown, undisturbed.stored))
    found.push(`stored ${plain(undisturbed.stored)}, shown ${plain(undisturbed.shown)}`)
  let done = 0
  while (done < moments) {
    const reloads = new Set<number>()
    const most = Math.min(5, moments - done, undisturbed.ticks - 1)
    while (reloads.size < most) reloads.add(Math.floor(random.next().value * undisturbed.ticks))
    done += reloads.size
    const { shown, stored } = await playChat(conversation, reloads)
    if (isDeepStrictEqual(shown, undisturbed.shown) && isDeepStrictEqual(stored, undisturbed.stored)) continue
    found.push(`loaded anew in ticks ${[...reloads].join()}: ${plain(shown)} is not ${plain(undisturbed.shown)}`)
  }
  return { done, found }
}
