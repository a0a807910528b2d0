import type { PageReport } from '@steploop/conformance/cli'
import { render, type ComponentChildren } from 'preact'
import { App } from './app.tsx'
import { readPageData, unpack } from './page-data.ts'

const data = readPageData(document.querySelector('#report')?.textContent ?? '')
if (data === undefined) {
  show(
    <Instead title="No report">
      This is the empty page. <code>steploop conformance --html FILE</code> writes one with a report in it.
    </Instead>,
  )
} else {
  unpack<PageReport>(data.report).then(
    (report) => show(<App report={report} details={data.details} />),
    (error: unknown) => show(<Instead title="The report cannot be read">{String(error)}</Instead>),
  )
}

function show(page: ComponentChildren): void {
  const root = document.querySelector('#page')
  if (root !== null) render(page, root)
}

function Instead({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main class="page">
      <h1>{title}</h1>
      <p>{children}</p>
    </main>
  )
}
