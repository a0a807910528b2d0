import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createChat } from '@steploop/chat'
import { StepLoop, tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { sqliteChatStore } from '@steploop/store/chat/sqlite'
import { isToolUIPart } from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { openPage } from './chat-reloads.ts'
import { scratchFolder } from '../scratch.ts'

/** A server whose run asks for an approval in one chat, and is in the middle of its second step in another. It prints when it is there. */
const server = (path: string): string => `
  import { createChat } from '@steploop/chat'
  import { StepLoop, tool } from '@steploop/core'
  import { scriptedAdapter } from '@steploop/core/testing'
  import { sqliteChatStore } from '@steploop/store/chat/sqlite'
  const inputSchema = { type: 'object' }
  const tools = {
    pay: tool({ inputSchema, needsApproval: true, execute: () => 'paid' }),
    look: tool({ inputSchema, execute: () => 'seen' }),
  }
  const store = await sqliteChatStore({ path: ${JSON.stringify(path)} })
  const send = (id, script) => {
    const chat = createChat({ loop: new StepLoop({ model: scriptedAdapter(script), tools }), store })
    const body = JSON.stringify({ id, message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] } })
    const headers = { 'content-type': 'application/json' }
    return chat.send(new Request('http://chat.test/api/chat', { method: 'POST', headers, body }))
  }
  const text = (said) => ({ type: 'text', text: said })
  const call = (toolName) => ({ type: 'call', toolName, id: toolName, input: {} })
  await (await send('asks', [[text('May I? '), call('pay')]])).text()
  let read = ''
  for await (const bytes of (await send('runs', [[text('One. '), call('look')], { parts: [text('Two')], hang: true }])).body) {
    read += Buffer.from(bytes).toString()
    if (read.includes('"delta":"o"')) console.log('there')
  }`

test('a server that is killed has its chats in SQLite: one is approved, the other asked anew, and nothing is there twice', async () => {
  const folder = scratchFolder()
  const path = join(folder, 'chats.db')
  const child = spawn(process.execPath, ['--conditions=@steploop/source', '--input-type=module', '-e', server(path)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')

  // The lease of the run that died is over by now.
  const store = await sqliteChatStore({ path, now: () => Date.now() + 60_000 })
  onTestFinished(() => store.close())
  const pay = tool({ inputSchema: { type: 'object' }, needsApproval: true, execute: () => 'paid' })
  const loop = new StepLoop({ model: scriptedAdapter(['Thanks.', 'Anew.']), tools: { pay } })
  const chat = createChat({ loop, store })
  const shown = async (id: string): Promise<string> => JSON.stringify((await chat.load(id)).messages)

  const asks = await openPage(chat, 'asks')
  const part = asks.lastMessage?.parts.find(isToolUIPart)
  await asks.addToolApprovalResponse({ id: part?.approval?.id ?? '', approved: true })
  await expect.poll(() => asks.status).toBe('ready')
  await expect.poll(() => shown('asks')).toContain('Thanks.')
  expect((await shown('asks')).split('May I?')).toHaveLength(2)
  expect(await shown('asks')).toContain('"output":"paid"')

  const runs = await openPage(chat, 'runs')
  expect([(await chat.load('runs')).writing, (await shown('runs')).includes('One. ')]).toEqual([undefined, true])
  await runs.regenerate()
  expect((await shown('runs')).match(/Anew\.|One\. /g)).toEqual(['Anew.'])
})
