import type { Attributes, Context } from '@opentelemetry/api'
import type { TurnRequest } from '@steploop/core/adapter'
import { answerOf, definitionsOf, exportable, instructionsOf, messagesOf } from './content.ts'
import { withoutUndefined } from './instruments.ts'
import { detailsEvent } from './names.ts'
import type { RunRecord, TurnRecord } from './records.ts'
import { safely } from './safely.ts'
import type { Setup } from './setup.ts'

/** Before anything is sent: the list of messages grows afterwards. */
export function requestContent(
  { names, content }: Setup,
  { instructions, messages, tools }: Pick<TurnRequest, 'instructions' | 'messages' | 'tools'>,
): Attributes {
  if (content === undefined) return {}
  return withoutUndefined({
    [names.systemInstructions]:
      instructions && exportable('system-instructions', instructionsOf(instructions), content),
    [names.inputMessages]: exportable('input-messages', messagesOf(messages), content),
    [names.toolDefinitions]: tools && exportable('tool-definitions', definitionsOf(tools), content),
  })
}

/** What was said so far, also by a request that failed. */
export function answerContent({ run, collector }: TurnRecord): Attributes {
  const { names, content, conventions } = run.setup
  const turn = collector?.turn()
  if (content === undefined || turn === undefined || turn.message.content.length === 0) return {}
  const answer = answerOf(turn.message, conventions === 'v1.41' ? turn.finishReason : undefined)
  return withoutUndefined({ [names.outputMessages]: exportable('output-messages', answer, content) })
}

/** Whether the event is taken, as far as the logger knows. */
export function takesDetails({ setup, logger }: RunRecord, context: Context): boolean {
  if (setup.content?.on !== 'events' || logger === undefined) return false
  return safely(() => logger.enabled({ context, eventName: detailsEvent })) !== false
}

/** The conventions' event, for logs that are kept apart from the traces. */
export function emitDetails({ run, context }: TurnRecord, attributes: Attributes): void {
  safely(() => run.logger?.emit({ eventName: detailsEvent, context, attributes }))
}
