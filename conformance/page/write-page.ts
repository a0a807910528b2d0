import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPage } from './build-page.ts'

// Beside the module that reads it: src/report/page-template.ts.
const folder = join(import.meta.dirname, '../dist/report')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'page.html'), await buildPage())
