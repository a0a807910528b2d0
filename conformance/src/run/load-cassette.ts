import { readFileSync } from 'node:fs'
import { CassetteError, readCassette, type Cassette } from '@steploop/cassette'
import { inspectCassette } from '@steploop/cassette/inspect'
import { requiredFeatures } from '../applies-to.ts'
import { cassettePath } from '../cassette-path.ts'
import type { Failure } from '../check.ts'
import { noCassette } from '../report/missing-cassettes.ts'
import { refusalOf } from '../play/refused-mark.ts'
import type { CaseJob } from '../stress/case-job.ts'

/** A check that failed before there was anything to judge. */
export interface CheckFailure {
  readonly id: string
  readonly sentence: string
  readonly failure: Failure
}

/** The cassette of a case, or why it cannot be used: missing, edited, of another case, or with an origin that cannot be true. */
export function loadCassette(
  job: Pick<CaseJob, 'subject' | 'scenario' | 'mode'>,
): { readonly cassette: Cassette } | { readonly failure: CheckFailure } {
  const { subject, scenario, mode } = job
  const path = cassettePath(subject, scenario.id, mode)
  // Whoever brings a simulator has cassettes from it first: the provider itself wants a key, and costs money.
  const from = subject.simulate === undefined ? '' : ' --simulator'
  const record = `steploop record${from} --only ${subject.name} --scenario ${scenario.id} --mode ${mode}`
  const wrong = (message: string): { readonly failure: CheckFailure } => {
    const sentence = 'The cassette is there, whole and unchanged, and belongs to the case.'
    return { failure: { id: 'cassette', sentence, failure: { message } } }
  }
  try {
    const cassette = readCassette(path)
    const { header } = cassette
    const isOwn = header.scenario === scenario.id && header.mode === mode && header.wire === subject.wire
    if (!isOwn) {
      return wrong(
        `${path} is a recording of ${header.scenario}.${header.mode} over ${header.wire}, not of ${scenario.id}.${mode} over ${subject.wire}. Record the right one: ${record}`,
      )
    }
    const forged = forgedOrigin(cassette, path)
    return forged === undefined ? { cassette } : wrong(`${path}: ${forged}`)
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    if (error.code !== 'missing') return wrong(error.message)
    const claims = requiredFeatures(scenario)
      .map((feature) => `\`${feature}\``)
      .join(', ')
    const or = claims === '' ? '' : `; or take back the claim of ${claims}, if the adapter cannot do that`
    const refused = refusalOf(path)
    if (refused !== undefined)
      return wrong(`the recording of ${path} was refused: ${refused}\nFix that, then record it: ${record}`)
    return wrong(`${noCassette} ${path}. Record it: ${record}${or}`)
  }
}

/** Who claims that a provider answered has to say which host did; `cassette check` says the same. Simulated ones claim nothing. */
function forgedOrigin({ header }: Cassette, path: string): string | undefined {
  if (header.origin.kind === 'simulated') return undefined
  const { problems } = inspectCassette(readFileSync(path), path)
  return problems.find(({ rule }) => rule === 'origin' || rule === 'secret')?.message
}
