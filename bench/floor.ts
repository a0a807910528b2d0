import type { ScriptedFetch } from './chat-server.ts'

/** The least that a tool loop can do: fetch, JSON.parse, run the tools, send everything again. It validates nothing. */
export async function floorLoop(server: ScriptedFetch, onStep: () => void): Promise<void> {
  const messages: unknown[] = [{ role: 'user', content: 'Weather?' }]
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
  for (;;) {
    const body = JSON.stringify({ model: 'bench-1', messages, tools })
    const response = await server.fetch('https://chat.example.com/v1/chat/completions', { method: 'POST', body })
    const { choices } = (await response.json()) as {
      choices: { message: { tool_calls?: { id: string; function: { arguments: string } }[] } }[]
    }
    const message = choices[0]?.message
    messages.push(message)
    if (message?.tool_calls === undefined) return
    for (const call of message.tool_calls) {
      const { city } = JSON.parse(call.function.arguments) as { city: string }
      const content = JSON.stringify(await weather(city))
      messages.push({ role: 'tool', tool_call_id: call.id, content })
    }
    onStep()
  }
}

export async function weather(city: string): Promise<{ city: string; degrees: number }> {
  return { city, degrees: city.length }
}
