export { connectMcp, type McpConnection } from './connect-mcp.ts'
export { McpError, type McpErrorCode, type McpErrorOptions } from './mcp-error.ts'
export { mergeTools } from './merge-tools.ts'
export type {
  HttpServer,
  McpCall,
  McpOptions,
  McpServer,
  McpToolInfo,
  McpWarning,
  SampleRequest,
  SampleResult,
  TransportServer,
} from './options.ts'
