import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { buildPage } from '../../examples/chat/build-page.ts'
import { simulatedModel } from '../../examples/chat/model.ts'
import { serveChat } from '../../examples/chat/server.ts'
import { launchChromium } from '../../runtimes/chromium.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

/** What the model waits for before it fails: that a page has shown what comes before. */
const beforeFailure = vi.fn(async () => {})

const browser = await launchChromium()
const server = await serveChat({ model: simulatedModel(15, beforeFailure), files: await buildPage(), delayMs: 100 }, 0)
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** Keeps every text that the page has shown, however short. */
const watch = `
  window.shown = []
  const look = () => window.shown.push(document.body.textContent)
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
`
const everShown = (page: Page): Promise<string> => page.evaluate('window.shown.join()')

async function openChat() {
  const context = await browser.newContext({
    geolocation: { latitude: 47, longitude: 8 },
    permissions: ['geolocation'],
  })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.addInitScript(watch)
  await page.goto(server.url)
  await page.getByLabel('Your message').waitFor()
  return { page, complaints }
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text)
  await page.keyboard.press('Enter')
}

const assistant = (page: Page) => page.locator('li.assistant').last()
const ready = (page: Page, text = 'Ready.') => page.getByRole('status').getByText(text, { exact: true }).waitFor()
/** But for blanks, and for buttons that come and go. */
const shown = async (page: Page): Promise<string> =>
  (await page.locator('.messages').innerText()).replaceAll(/\s+/g, ' ')

test('tools, their states and folded reasoning stream into the page, and the browser has nothing to complain about', async () => {
  const { page, complaints } = await openChat()
  await say(page, 'What is the weather?')
  const tool = page.getByRole('region', { name: 'Tool get_weather' })
  await ready(page)
  expect(await tool.getByText('completed').count()).toBe(2)
  expect(await everShown(page)).toMatch(/get_weather: running, [123] of 3, asked station/)
  expect(await page.getByText('I ask for both places at once.').isVisible()).toBe(false)
  await page.getByText('Reasoning').click()
  expect(await page.getByText('I ask for both places at once.').isVisible()).toBe(true)
  await page.getByText('Here is what came of it: get_weather said').waitFor()
  expect(complaints).toEqual([])
})

test('an approval with other arguments is run with them', async () => {
  const { page } = await openChat()
  await say(page, 'Book a table')
  const group = page.getByRole('group', { name: 'Approval of book_table' })
  await group.getByLabel('Arguments').fill('{ "people": 5, "at": "20:00" ')
  await group.getByRole('button', { name: 'Approve' }).click()
  await group.getByText('The arguments have to be a JSON object.').waitFor()
  await group.getByLabel('Arguments').fill('{ "people": 5, "at": "20:00" }')
  await group.getByRole('button', { name: 'Approve' }).click()
  await ready(page)
  expect(await shown(page)).toContain('a table for 5 at 20:00')
  const before = await shown(page)
  await page.reload()
  await assistant(page).waitFor()
  expect(await shown(page)).toBe(before)
})

test('a denial reaches the model, and a location is shared only by a click', async () => {
  const { page } = await openChat()
  await say(page, 'Book a table')
  await page.getByRole('button', { name: 'Deny' }).click()
  await ready(page)
  expect(await shown(page)).toContain('book_table: denied')
  await say(page, 'Where am I?')
  await page.getByRole('button', { name: 'Share my location' }).click()
  await ready(page)
  expect(await shown(page)).toContain('"latitude": 47')
})

test('stop ends the run at once, what was said stays, and the next message works', async () => {
  const { page } = await openChat()
  await say(page, 'Tell me a long story')
  await page.getByText('Once upon a time a small').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await ready(page, 'Stopped.')
  expect(await shown(page)).not.toContain('was glad')
  const before = await shown(page)
  await page.reload()
  await assistant(page).waitFor()
  expect(await shown(page)).toBe(before)
  await say(page, 'Where am I?')
  await page.getByRole('button', { name: 'Do not share' }).click()
  await ready(page)
  expect(await shown(page)).toContain('The user does not share the location.')
})

test('a page that is loaded anew in the middle, many times, has each word once', async () => {
  const { page } = await openChat()
  await say(page, 'Tell me a long story')
  for (let reloads = 0; reloads < 8; reloads++) {
    await page.getByText('Once upon a time').waitFor()
    await page.waitForTimeout(reloads * 60)
    await page.reload()
  }
  await page.getByText('and was glad.').waitFor()
  await ready(page)
  expect((await shown(page)).split('It called a tool').length - 1).toBe(20)
  expect((await shown(page)).split('Once upon').length - 1).toBe(1)
})

test('between the question and its approval the page can be closed, too', async () => {
  const { page } = await openChat()
  await say(page, 'Book a table')
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Approve' }).click()
  await ready(page)
  expect(await shown(page)).toContain('a table for 2 at 19:00')
  expect(
    await page
      .locator('li')
      .filter({ has: page.locator('h2') })
      .count(),
  ).toBe(2)
})

test('text that was taken back is gone, an error has its text, and a retry asks anew', async () => {
  const { page } = await openChat()
  beforeFailure.mockImplementationOnce(() => page.getByText('This will be forgotten.').waitFor())
  await say(page, 'Please stumble')
  await page.getByText('Now it works.').waitFor()
  expect(beforeFailure).toHaveResolved()
  expect(await shown(page)).not.toContain('forgotten')
  await ready(page)
  await say(page, 'Now fail')
  const alert = page.getByRole('alert')
  await alert.getByText('Something went wrong. Please try again. (turn-failed)').waitFor()
  await alert.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('This time it worked.').waitFor()
  await ready(page)
  expect(await alert.count()).toBe(0)
})

test('two pages on one chat: the second is told, and loads what the first one said', async () => {
  const { page } = await openChat()
  await say(page, 'Please help')
  await ready(page)
  const other = await page.context().newPage()
  await other.goto(server.url)
  await assistant(other).waitFor()
  await say(page, 'Tell me a long story')
  await page.getByText('Once upon a time').waitFor()
  await say(other, 'Me too')
  await other.getByRole('alert').getByText('An answer is being written in this chat.').waitFor()
  await other.getByRole('button', { name: 'Load the chat' }).click()
  await other.getByText('and was glad.').waitFor()
  await ready(page)
  expect(await shown(other)).toBe(await shown(page))
})

test('there are several chats, and each keeps what was said', async () => {
  const { page } = await openChat()
  await say(page, 'Please help')
  await page.getByText('<b>This is no HTML.</b>').waitFor()
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await page.getByLabel('Your message').waitFor()
  expect(await page.locator('li.assistant').count()).toBe(0)
  await page.getByRole('navigation').getByRole('button', { name: 'Please help' }).click()
  await page.getByText('<b>This is no HTML.</b>').waitFor()
})

test('all of it goes by keyboard, and axe finds nothing', async () => {
  const { page } = await openChat()
  await page.getByLabel('Your message').focus()
  await page.keyboard.type('Book a table')
  await page.keyboard.press('Enter')
  const approve = page.getByRole('button', { name: 'Approve' })
  await approve.waitFor()
  await page.evaluate(axe.source)
  const found = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()))`,
  )
  expect(found).toEqual([])
  let steps = 0
  while (!(await approve.evaluate((element) => element === element.ownerDocument.activeElement)) && steps++ < 12)
    await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await ready(page)
  expect(await shown(page)).toContain('a table for 2')
})
