import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createChat } from './index.ts'
import { openPage, shownMessages } from '../test/testing.ts'
import { fileStore, restartLoop, said } from './server/testing.ts'

async function startServer(file: string): Promise<{ readonly child: ChildProcess; readonly chunks: number[] }> {
  const child = fork(new URL('server/testing.ts', import.meta.url), [file], {
    execArgv: ['--conditions=@steploop/source'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const chunks: number[] = []
  child.on('message', (length) => chunks.push(Number(length)))
  return { child, chunks }
}

// The run of the server goes on for 14 words and a tool, each some milliseconds after the one before.
test.for([1, 4, 8])(
  'a server that is killed after %i writes loses nothing that was stored, and the chat goes on',
  async (writes) => {
    const folder = mkdtempSync(join(tmpdir(), 'steploop-chat-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'chats.json')
    const { child, chunks } = await startServer(file)
    while (chunks.length < writes) await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')

    // The server is started again: the lease of the dead run is over by now.
    const store = fileStore(file, () => Date.now() + 60_000)
    const chat = createChat({ loop: restartLoop(), store })
    const { page } = await openPage(chat, { id: 'a' })
    const before = shownMessages(page.messages)
    expect(before[0]).toEqual({ role: 'user', parts: [{ type: 'text', text: 'Hello' }] })
    expect((await chat.load('a')).writing).toBe(undefined)
    await page.regenerate()
    expect({ status: page.status, error: page.error }).toEqual({ status: 'ready', error: undefined })
    const messages = shownMessages(page.messages)
    expect(messages).toHaveLength(2)
    expect(messages).toEqual(shownMessages((await chat.load('a')).messages))
    const texts = messages[1]!.parts.flatMap((part) =>
      'text' in (part as object) ? (part as { text: string }).text : [],
    )
    expect(texts).toEqual(said)
  },
)
