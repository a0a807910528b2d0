import type { Attributes } from '@opentelemetry/api'
import type { TurnInfo } from '@steploop/core'
import { answerOf, definitionsOf, exportable, instructionsOf, messagesOf } from './content.ts'
import { known } from './instruments.ts'
import { detailsEvent } from './names.ts'
import type { TurnRecord } from './records.ts'
import type { Setup } from './setup.ts'

/** Before anything is sent: the list of messages grows afterwards. */
export function requestContent({ names, content }: Setup, { request }: TurnInfo): Attributes {
  if (content === undefined) return {}
  const { instructions, messages, tools } = request
  return known({
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
  return known({ [names.outputMessages]: exportable('output-messages', answer, content) })
}

/** The conventions' event, for logs that are kept apart from the traces. */
export function emitDetails({ run, context }: TurnRecord, attributes: Attributes): void {
  run.logger?.emit({ eventName: detailsEvent, context, attributes })
}
