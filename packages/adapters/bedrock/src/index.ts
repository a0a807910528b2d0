export { bedrockCapabilities } from './capabilities.ts'
export { type AwsCredentials } from './credentials.ts'
export { createEventStreamFramer } from './event-stream.ts'
export {
  bedrock,
  createBedrock,
  createBedrockClaude,
  type BedrockClaudeOptions,
  type BedrockOptions,
} from './options.ts'
export { signRequest, type SignOptions } from './sign-request.ts'
export { bedrockConverse } from './wire.ts'
