import { join } from 'node:path'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { replaySession } from './recorded-session.ts'
import { subjectNamed } from '../scratch.ts'
import { hasTraffic, trafficFolders, trafficNote } from '../recorded-traffic.ts'

/** Recordings of what the server does not do, with what it says to them, and why. */
const exceptions: readonly (readonly [files: RegExp, said: RegExp, why: string])[] = [
  [/tool_search|tool_availability_delta/, /unsupported_(tool|item)/, 'A search for tools is OpenAI’s own.'],
  [/_mcp_/, /unsupported_tool/, 'What the MCP servers answered was not recorded: OpenAI asked them.'],
  [/_compact_/, /context_management|unknown_url/, 'Histories are not compacted.'],
  [/__json__|validation_retry/, /"param\\":\\"text\.format/, '`json_object` is not supported.'],
  [/service_tier/, /"param\\":\\"service_tier/, 'There is one tier.'],
  [
    /openai_previous_response_id\.json$/,
    /recorded "complete"/,
    'Written by hand, with a status that OpenAI does not have.',
  ],
]

/** Whose requests go on from a response, or from one in this session, run in the background, or have tools of a server. */
function isOfInterest(path: string): boolean {
  const { interactions } = JSON.parse(readFileSync(path, 'utf8')) as { interactions: { request: unknown }[] }
  const requests = interactions.filter(({ request }) => request !== null)
  const text = JSON.stringify(requests.map(({ request }) => request))
  const isStateful = /"(previous_response_id|conversation)":"|"background":true|"type":"mcp"/.test(text)
  return requests.length > 0 && (interactions.length > 1 || isStateful)
}

test(
  `recorded sessions with OpenAI go on in the same way with the server${trafficNote}`,
  { timeout: 180_000 },
  async () => {
    if (!hasTraffic) return
    const openai = subjectNamed('openai')
    const unexplained: string[] = []
    const used = new Set<string>()
    const equal: string[] = []
    for (const folder of trafficFolders.map((traffic) => join(traffic, 'openai-responses'))) {
      for (const file of readdirSync(folder).filter((name) => isOfInterest(`${folder}/${name}`))) {
        const [difference] = await replaySession(`${folder}/${file}`, openai)
        const exception = exceptions.find(([files, said]) => files.test(file) && said.test(difference ?? ''))
        if (difference === undefined) equal.push(file)
        else if (exception === undefined) unexplained.push(`${file} ${difference}`)
        else used.add(exception[2])
      }
    }
    expect(unexplained).toEqual([])
    expect([...used].toSorted()).toEqual(exceptions.map(([, , why]) => why).toSorted())
    expect(equal.length).toBeGreaterThan(100)
    const required = ['tool_calls_parallel', 'tool_output_only', 'mixed-input', 'conversation_id', 'background_mode']
    for (const name of required) expect(equal.filter((file) => file.includes(name))).not.toEqual([])
  },
)
