import { approval } from './approval.ts'
import { approvalTakes } from './approval.script.ts'
import { chatPage } from './chat-page.ts'
import { chatPageTakes } from './chat-page.script.ts'
import { clientTools } from './client-tools.ts'
import { clientToolsTakes } from './client-tools.script.ts'
import type { Example } from './example.ts'
import { mcpFiles } from './mcp-files.ts'
import { mcpFilesTakes } from './mcp-files.script.ts'
import { parallelTools } from './parallel-tools.ts'
import { parallelToolsTakes } from './parallel-tools.script.ts'
import { responsesServer } from './responses-server.ts'
import { responsesServerTakes } from './responses-server.script.ts'
import { searchDates } from './search-dates.ts'
import { searchDatesTakes } from './search-dates.script.ts'
import { structuredAnswer } from './structured-answer.ts'
import { structuredAnswerTakes } from './structured-answer.script.ts'
import { switchProvider } from './switch-provider.ts'
import { switchProviderTakes } from './switch-provider.script.ts'
import { telemetryTakes } from './telemetry.script.ts'
import { telemetryTree } from './telemetry.ts'

export const examples: readonly Example[] = [
  { name: 'parallel-tools', title: 'several tools in one turn', run: parallelTools, takes: parallelToolsTakes },
  { name: 'approval', title: 'a person approves a call in the terminal', run: approval, takes: approvalTakes },
  { name: 'client-tools', title: 'a tool that the caller answers later', run: clientTools, takes: clientToolsTakes },
  {
    name: 'structured-answer',
    title: 'tools, and an object as answer',
    run: structuredAnswer,
    takes: structuredAnswerTakes,
  },
  {
    name: 'switch-provider',
    title: 'another provider takes over in mid-run',
    run: switchProvider,
    takes: switchProviderTakes,
  },
  { name: 'chat-page', title: 'a run streamed to a web page', run: chatPage, takes: chatPageTakes },
  { name: 'telemetry', title: 'a run as an OpenTelemetry trace', run: telemetryTree, takes: telemetryTakes },
  { name: 'mcp-files', title: 'the tools of an MCP server', run: mcpFiles, takes: mcpFilesTakes },
  {
    name: 'responses-server',
    title: "OpenAI's Responses API in front of any model",
    run: responsesServer,
    takes: responsesServerTakes,
  },
  { name: 'search-dates', title: 'missing tool arguments from the prompt', run: searchDates, takes: searchDatesTakes },
]
