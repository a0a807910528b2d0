import { render } from 'preact'
import { App } from './app.tsx'
import { readPageData } from './page-data.ts'

const place = document.querySelector('#page')
const data = readPageData(document.querySelector('#report')?.textContent ?? '')
if (place !== null) {
  render(
    data === undefined ? (
      <main class="page">
        <h1>No report</h1>
        <p>
          This is the empty page. <code>steploop conformance --html FILE</code> writes one with a report in it.
        </p>
      </main>
    ) : (
      <App data={data} />
    ),
    place,
  )
}
