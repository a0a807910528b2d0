import { createVertex, createVertexClaude } from '@steploop/vertex'
import { claudeLimits } from './anthropic.ts'
import { geminiLimits, geminiNoWords } from './gemini.ts'
import { namesNoPause, subjectOf } from './subject-of.ts'

const project = { project: 'my-project', location: 'global' }
const publishers = 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers'
const fields = { folder: 'vertex', noWordsFor: namesNoPause, hosts: ['aiplatform.googleapis.com'] }

export const vertex = subjectOf({
  ...fields,
  name: 'vertex',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: `${publishers}/google`,
  create: ({ apiKey = '', ...options }) => createVertex({ ...project, accessToken: () => apiKey, ...options }),
  limits: geminiLimits,
  noWordsFor: { ...namesNoPause, ...geminiNoWords },
})

export const vertexClaude = subjectOf({
  ...fields,
  name: 'vertex-claude',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-6',
  baseURL: `${publishers}/anthropic`,
  create: ({ apiKey, ...options }) =>
    createVertexClaude({ ...project, auth: { getAccessToken: async () => ({ token: apiKey }) }, ...options }),
  unverified: 'two turns of Claude on Vertex were recorded; behind Anthropic’s own address there are thousands',
  limits: claudeLimits,
})
