import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium as launcher, type Browser } from 'playwright-core'
import { corsProxy, serveFile, type LoopbackServer } from './loopback-server.ts'
import { MissingRuntime, taskLimit, type Runtime } from './runtime.ts'
import type { Task } from './task.ts'

// As root, Chromium needs --no-sandbox; the rest keeps it from looking for its vendor's hosts.
const flags = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync']

/** Debian's Chromium. Every task has a new page, whose requests go to another origin. */
export const chromium: Runtime = {
  name: 'chromium',
  agent: /Chrome\/\d/,
  async start({ module }) {
    const browser = await launchChromium()
    const pages = await serveFile('/drive.js', module)
    return {
      drive: (task) => driveInPage(browser, pages, task),
      async stop() {
        await browser.close()
        pages.close()
      },
    }
  },
}

/** Throws `MissingRuntime` when no folder of the path holds it. */
export async function launchChromium(): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const executablePath = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path))
  if (executablePath === undefined) throw new MissingRuntime('Chromium is not installed: apt-get install chromium')
  return launcher.launch({ executablePath, args: flags, timeout: taskLimit })
}

async function driveInPage(browser: Browser, pages: LoopbackServer, task: Task): Promise<unknown> {
  const { origin, pathname } = new URL(task.baseURL)
  const proxy = await corsProxy(origin)
  const page = await browser.newPage()
  // What waits for the page fails when it closes.
  const timer = setTimeout(() => void page.close().catch(() => undefined), taskLimit)
  try {
    await page.goto(pages.origin)
    const proxied: Task = { ...task, baseURL: proxy.origin + pathname }
    // As text: TypeScript would look for the module on this side.
    return await page.evaluate(`import('/drive.js').then(({ drive }) => drive(${JSON.stringify(proxied)}))`)
  } finally {
    clearTimeout(timer)
    await page.close()
    proxy.close()
  }
}
