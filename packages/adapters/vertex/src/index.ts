export { createVertex, vertex, type VertexOptions } from './gemini.ts'
export { createVertexClaude, type VertexClaudeOptions } from './claude.ts'
export { type GoogleAuth, type GoogleCloudOptions } from './google-cloud.ts'
