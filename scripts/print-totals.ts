/**
 * Prints `N passed, N failed` from a JUnit report: `node scripts/print-totals.ts REPORT [--only-failed]`.
 * With `--only-failed` it prints nothing when no test failed: then something else stopped the run.
 */
import { readFileSync } from 'node:fs'
import { readTotals } from './totals.ts'

const [report = 'reports/tests.xml', flag] = process.argv.slice(2)
const { passed, failed } = readTotals(readFileSync(report, 'utf8'))
if (flag !== '--only-failed' || failed > 0) console.log(`${passed} passed, ${failed} failed`)
