import type {
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  MessageCreateParams as BetaMessageCreateParams,
} from '@anthropic-ai/sdk/resources/beta/messages/messages'

/** What goes into headers is no part of the body. */
export type Request = Omit<BetaMessageCreateParams, 'betas' | 'user_profile_id'>
export type Body = BetaMessage
export type Event = BetaRawMessageStreamEvent
export type Block = BetaContentBlock
