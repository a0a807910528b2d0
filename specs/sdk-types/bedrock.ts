import type { ConverseCommandInput, ConverseCommandOutput, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime'

/** The model stands in the path. */
export type Request = Omit<ConverseCommandInput, 'modelId'>
/** `$metadata` is the package's own. */
export type Body = Omit<ConverseCommandOutput, '$metadata'>
/** `{ <event>: payload }` */
export type Event = ConverseStreamOutput
