import type { UIMessage } from 'ai'
import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { buildPage } from '../../examples/chat/build-page.ts'
import { simulatedModel } from '../../examples/chat/model.ts'
import { serveChat } from '../../examples/chat/server.ts'
import { launchChromium } from '../../runtimes/chromium.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const browser = await launchChromium()
const files = await buildPage('assistant-ui/main.tsx')
const server = await serveChat({ model: simulatedModel(15), files, delayMs: 15 }, 0)
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Keeps every text that the page has shown, however short. */
const watch = `
  window.shown = []
  new MutationObserver(() => window.shown.push(document.body.textContent))
    .observe(document, { subtree: true, childList: true, characterData: true })
`

async function openChat(): Promise<Page> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  onTestFinished(() => expect(complaints).toEqual([]))
  await page.addInitScript(watch)
  await page.goto(`${server.url}#${crypto.randomUUID()}`)
  await page.getByLabel('Your message').waitFor()
  return page
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.keyboard.press('Enter')
}

const ready = (page: Page) => page.getByRole('status').getByText('ready', { exact: true }).waitFor()
const shown = async (page: Page): Promise<string> =>
  (await page.locator('.messages').innerText()).replaceAll(/\s+/g, ' ')

test('assistant-ui: text streams, and tools run, and are the same after a reload', async () => {
  const page = await openChat()
  await say(page, 'What is the weather?')
  // It writes what has come letter by letter: this is the end.
  await page.getByText(/get_weather said .*"sky":"clear"}\.$/).waitFor()
  await ready(page)
  expect(await page.evaluate('window.shown.join()')).toContain('get_weather: running')
  expect(await page.getByText('get_weather: complete').count()).toBe(2)
  const before = await shown(page)
  await page.reload()
  await expect.poll(() => shown(page)).toBe(before)
})

test('assistant-ui: a call is approved after a reload, another one denied', async () => {
  const page = await openChat()
  await say(page, 'Book a table')
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Here is what came of it: book_table said "a table for 2 at 19:00"').waitFor()
  await ready(page)
  expect((await shown(page)).split('May I book this?').length - 1).toBe(1)
  await say(page, 'Book a table again')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('denied').first().waitFor()
  await ready(page)
  expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(0)
})

test('assistant-ui: stop ends the run, what was said stays, and the next message works', async () => {
  const page = await openChat()
  await say(page, 'Tell me a long story')
  await page.getByText('Once upon a time a small').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await ready(page)
  const { messages } = (await (await fetch(page.url().replace('#', 'api/chat/'))).json()) as { messages: UIMessage[] }
  const said = messages.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text.trim() : '')))
  await expect.poll(() => shown(page)).toBe(said.filter(Boolean).join(' '))
  expect(said.join(' ')).not.toContain('was glad')
  await page.reload()
  await page.getByText('Once upon a time').waitFor()
  await expect.poll(() => shown(page)).toBe(said.filter(Boolean).join(' '))
  await say(page, 'Please help')
  await page.getByText('<b>This is no HTML.</b>').waitFor()
  await ready(page)
})

test('assistant-ui: loaded anew in the middle, and after text that was taken back, a page has each word once', async () => {
  const page = await openChat()
  await say(page, 'Please stumble')
  await page.getByText('Now it works.').waitFor()
  expect(await shown(page)).not.toContain('forgotten')
  await ready(page)
  await say(page, 'Tell me a long story')
  for (let reloads = 0; reloads < 5; reloads++) {
    await page.getByText('Once upon a time').waitFor()
    await page.waitForTimeout(reloads * 80)
    await page.reload()
  }
  await page.getByText('and was glad.').waitFor()
  await ready(page)
  const text = await shown(page)
  expect([text.split('Once upon').length - 1, text.split('It called a tool').length - 1]).toEqual([1, 20])
})
