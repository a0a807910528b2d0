import type {
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  MessageCreateParams as BetaMessageCreateParams,
} from '@anthropic-ai/sdk/resources/beta/messages/messages'

/** What goes into headers is no part of the body. */
export type Request = Omit<BetaMessageCreateParams, 'betas' | 'user_profile_id'>
/** On other clouds the model stands in the path, and version and betas in the body. */
export type CloudRequest = Omit<Request, 'model' | 'stream'> & {
  anthropic_version: string
  anthropic_beta?: string[]
  stream?: boolean
}
export type Body = BetaMessage
export type Event = BetaRawMessageStreamEvent
export type Block = BetaContentBlock
