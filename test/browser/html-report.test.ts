import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runConformance, type Subject } from '@steploop/conformance'
import { mutants, pageTemplate, printHtml } from '@steploop/conformance/cli'
import axe from 'axe-core'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { launchChromium } from '../../runtimes/chromium.ts'
import config from '../../steploop.config.ts'
import { repository } from '../repository/source-files.ts'

// A browser takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const folder = mkdtempSync(join(tmpdir(), 'steploop-page-'))
const file = join(folder, 'report.html')
const failing = 'anthropic/parallel-calls/stream'
const desktop = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }
const browser = await launchChromium()

/** One adapter that loses the second of two calls, beside one that is right. */
beforeAll(async () => {
  const subject = (name: string): Subject => config.subjects.find((one) => one.name === name)!
  const broken = mutants.find(({ id }) => id === 'lose-second-call')!.apply(subject('anthropic'))
  const doubtful = { ...subject('ollama'), unverified: 'nobody recorded it' }
  const report = await runConformance([broken, doubtful], {
    scenario: ['text-only', 'single-call', 'parallel-calls', 'continuation', 'bad-key'],
    stress: ['stable'],
    details: true,
  })
  writeFileSync(file, printHtml(report, await pageTemplate()))
})

afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true })
})

interface OpenPage {
  readonly page: Page
  /** What the browser complained about, and addresses that it asked for. */
  readonly complaints: string[]
  readonly requests: string[]
}

async function openPage(options: BrowserContextOptions = {}, hash = ''): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const [complaints, requests]: [string[], string[]] = [[], []]
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(file).href + hash)
  await page.getByRole('heading', { name: 'Conformance report' }).waitFor()
  return { page, complaints, requests }
}

const cellName = /^anthropic, parallel-calls, stream: fail/
const statusOf = (page: Page): Promise<string> => page.getByText(/of \d+ cases shown/).innerText()

test('the page opens from a file without a request to anywhere, and without a complaint of the browser', async () => {
  const { page, complaints, requests } = await openPage()
  await page.getByRole('button', { name: cellName }).click()
  await page.getByText(/^Answered from/).waitFor()
  expect(complaints).toEqual([])
  expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href])
})

test('the matrix names scenario, adapter, mode, verdict and variants of each cell, and has only cells that were judged', async () => {
  const { page } = await openPage()
  expect(await page.getByRole('button', { name: cellName }).innerText()).toContain('✗')
  await page.getByRole('button', { name: /^ollama, text-only, stream: pass, [\d,]+ variants?$/ }).waitFor()
  expect(await page.getByRole('button', { name: 'ollama, continuation, generate: not applicable' }).count()).toBe(1)
  expect(await statusOf(page)).toBe('20 of 20 cases shown')
  await page.getByText('* unverified by traffic: ollama: nobody recorded it').waitFor()
  expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(
    expect.arrayContaining(['text-only', 'single-call', 'parallel-calls', 'continuation', 'bad-key']),
  )
})

test('filters by text, adapter, group, mode and verdict narrow the matrix, and are in the address', async () => {
  const { page } = await openPage()
  await page.getByLabel('Adapter').selectOption('anthropic')
  expect(await statusOf(page)).toBe('10 of 20 cases shown')
  await page.getByLabel('Mode').selectOption('stream')
  expect(await statusOf(page)).toBe('5 of 20 cases shown')
  await page.getByRole('button', { name: /^fail/ }).click()
  expect(await statusOf(page)).toBe('1 of 20 cases shown')
  expect(await page.getByRole('columnheader', { name: 'ollama' }).count()).toBe(0)
  await page.reload()
  expect(await statusOf(page)).toBe('1 of 20 cases shown')
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByLabel('Group').selectOption('errors')
  expect(await statusOf(page)).toBe('4 of 20 cases shown')
  await page.getByRole('searchbox').fill('ollama KEY gen')
  expect(await statusOf(page)).toBe('1 of 20 cases shown')
  await page.getByRole('searchbox').fill('no such thing')
  await page.getByText('No case passes these filters.').waitFor()
})

test('a failing cell opens what failed, the request against the recorded one, frames with chunks, events, tools and the command', async () => {
  const { page } = await openPage()
  await page.getByRole('button', { name: cellName }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('#triples').waitFor()
  await dialog.getByText('steploop conformance --only anthropic --scenario parallel-calls --mode stream').waitFor()
  expect(await dialog.locator('.facts').innerText()).toMatch(
    /simulated, \d{4}-\d\d-\d\d \(.*(old|same day)\), by @steploop/,
  )
  await dialog.getByText('Answered from cassettes/anthropic/parallel-calls.stream.yaml').waitFor()
  const diff = dialog.getByRole('region', { name: 'Request of step 2 against exchange 2' })
  expect(await diff.locator('del').allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringContaining('Asia/Tokyo')]),
  )
  await dialog.getByText(/^Response 200/).click()
  const frames = dialog.getByRole('region', { name: 'Frames of step 1' })
  expect(await frames.innerText()).toMatch(/▏1 · \d.*B · \+\d+ ms/)
  expect(await frames.innerText()).toContain('event: message_start')
  await dialog.getByText(/^\d+ events turn-start/).click()
  expect(await dialog.getByRole('region', { name: 'Events of step 1' }).innerText()).toContain('tool-call-start')
  expect(await dialog.getByRole('group', { name: '1 tool call' }).innerText()).toContain(
    'get_weather {"city":"Zürich"} ran',
  )
  await dialog.getByText(/^rejected with turn-failed/).waitFor()
})

test('keys are enough: arrows move in the matrix, Enter opens, Escape closes and gives the focus back', async () => {
  const { page } = await openPage()
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.getAttribute("aria-label")')
  await page.keyboard.press('/')
  await page.keyboard.type('parallel')
  await page.getByRole('button', { name: /^anthropic, parallel-calls, generate/ }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await focused()).toMatch(cellName)
  await page.keyboard.press('ArrowRight')
  expect(await focused()).toMatch(/^ollama, parallel-calls, generate/)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: /anthropic.*parallel-calls.*stream/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await focused()).toMatch(cellName)
})

test('one cell is in the tab order, and going down leads to the next scenario', async () => {
  const { page } = await openPage()
  expect(await page.locator('.matrix button[tabindex="0"]').count()).toBe(1)
  await page.locator('.matrix button[tabindex="0"]').focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.locator('.matrix button[tabindex="0"]').getAttribute('aria-label')).toMatch(
    /^anthropic, single-call/,
  )
})

test('an address opens its case, going on shows the next one, and going back closes it', async () => {
  const { page } = await openPage()
  await page.getByRole('button', { name: cellName }).click()
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('open')).toBe(failing)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('dialog', { name: /continuation/ }).waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const direct = await openPage({}, `#open=${encodeURIComponent(failing)}`)
  await direct.page.getByRole('dialog', { name: /parallel-calls/ }).waitFor()
})

const Violations = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
})

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = Violations.parse(await page.evaluate('axe.run()'))
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)
}

test.each(['light', 'dark'] as const)(
  'axe finds no fault in the matrix and in a case, in %s colours',
  async (colorScheme) => {
    // Colours are judged as they end, not on their way.
    const { page } = await openPage({ colorScheme, reducedMotion: 'reduce' })
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: cellName }).click()
    await page.getByText(/^Answered from/).waitFor()
    await page.evaluate(`document.querySelectorAll('dialog details').forEach((one) => one.setAttribute('open', ''))`)
    expect(await violationsOf(page)).toEqual([])
  },
)

test('each failure stands once at the top, with all the cases that show it', async () => {
  const { page } = await openPage()
  const findings = page.getByRole('region', { name: 'What is unexpected' })
  expect(await findings.getByText('#triples').count()).toBe(1)
  const triples = findings.getByRole('listitem').filter({ hasText: '#triples' })
  await triples.getByText('and 1 case like it').click()
  await triples.getByRole('button', { name: failing }).click()
  await page.getByRole('dialog', { name: /parallel-calls.*stream/ }).waitFor()
})

const onPhone = { viewport: phone, hasTouch: true, isMobile: true }

const heightOf = async (one: Locator): Promise<number | undefined> => (await one.boundingBox())?.height

test('a phone shows one adapter at a time, the one that fails first, and its filters are folded', async () => {
  const { page } = await openPage(onPhone)
  const adapter = page.getByLabel('Adapter')
  const columns = (): Promise<readonly string[]> => page.locator('.matrix .adapter').allInnerTexts()
  expect([await adapter.inputValue(), await columns()]).toEqual(['anthropic', ['anthropic']])
  expect(await adapter.locator('option').allInnerTexts()).toEqual(['anthropic (2 red)', 'ollama'])
  await adapter.selectOption('ollama')
  expect(await columns()).toEqual(['ollama*'])
  expect(await statusOf(page)).toBe('10 of 20 cases shown')
  expect(await page.getByRole('searchbox').isVisible()).toBe(false)
  await page.getByText('Filters', { exact: true }).click()
  await page.getByRole('searchbox').fill('bad')
  await page.getByText('Filters (1 in use)').waitFor()
  expect(await statusOf(page)).toBe('2 of 20 cases shown')
  await page.getByRole('button', { name: 'Clear' }).click()
  expect([await adapter.inputValue(), await statusOf(page)]).toEqual(['ollama', '10 of 20 cases shown'])
})

test('on a phone names of scenarios stay words, and lines of a diff stay lines', async () => {
  const { page } = await openPage(onPhone)
  for (const row of await page.locator('.matrix tbody tr:not(.group)').all())
    expect(await heightOf(row)).toBeLessThan(60)
  await page.getByRole('button', { name: cellName }).click()
  const diff = page.getByRole('region', { name: 'Request of step 2 against exchange 2' })
  await diff.waitFor()
  expect(
    await page.evaluate(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('[aria-label^="Request of step 2 against"]')
      return scrollWidth > clientWidth
    })()`),
  ).toBe(true)
  for (const line of await diff.locator('del').all()) expect(await heightOf(line)).toBeLessThan(25)
})

test('on a phone nothing but the matrix itself and diffs scroll sideways', async () => {
  const { page } = await openPage(onPhone)
  const width = (selector: string): Promise<unknown> =>
    page.evaluate(`document.querySelector('${selector}').scrollWidth`)
  expect(await width('html')).toBe(phone.width)
  await page.getByRole('button', { name: cellName }).click()
  await page.getByText(/^Answered from/).waitFor()
  expect(await width('html')).toBe(phone.width)
  expect(await width('dialog')).toBeLessThanOrEqual(phone.width)
})

test('pictures of the page are kept for CI', async () => {
  const pictures = join(repository, 'reports')
  mkdirSync(pictures, { recursive: true })
  const { page } = await openPage({ reducedMotion: 'reduce' })
  const matrix = await page.screenshot({ path: join(pictures, 'html-report.png'), fullPage: true })
  const dark = await openPage({ colorScheme: 'dark', reducedMotion: 'reduce' }, `#open=${encodeURIComponent(failing)}`)
  await dark.page.getByText(/^Answered from/).waitFor()
  const opened = await dark.page.screenshot({ path: join(pictures, 'html-report-case.png') })
  expect(matrix.equals(opened)).toBe(false)
  const small = await openPage({ ...onPhone, reducedMotion: 'reduce' })
  await small.page.screenshot({ path: join(pictures, 'html-report-phone.png'), fullPage: true })
  const smallCase = await openPage({ ...onPhone, reducedMotion: 'reduce' }, `#open=${encodeURIComponent(failing)}`)
  await smallCase.page.getByText(/^Answered from/).waitFor()
  await smallCase.page.screenshot({ path: join(pictures, 'html-report-phone-case.png') })
})
