import type { CaseReport } from '../report-schema.ts'
import type { Subject } from '../subject.ts'
import { failed, play, stressorIds, type Baseline } from './baseline.ts'
import type { Mutant } from './mutant.ts'

/** What became of a mutant. */
export interface MutantOutcome {
  readonly id: string
  /** Scenario and check that are there for it. */
  readonly killer: string
  /** Ids of the checks that noticed it, sorted. In a quick try those of the first case that did. */
  readonly killers: readonly string[]
  /** `<subject>/<scenario>/<mode>` where it was noticed first. */
  readonly firstCase: string | undefined
  /** Whether its own check noticed it, in its own scenario. In a quick try: in the first case that noticed anything. */
  readonly byItsKiller: boolean
  /** Whether it passes `text-only`, claims aside: those are judged with every scenario. */
  readonly passesTextOnly: boolean
  /** Base checks that it passes, in percent, rounded down; `undefined` in a quick try. */
  readonly passes: number | undefined
  readonly durationMs: number
}

interface Broken extends Pick<Baseline, 'scenarios' | 'knownFailures'> {
  readonly mutant: Mutant
  readonly subjects: readonly Subject[]
  /** Subjects as they are, unbroken. */
  readonly sound: readonly Subject[]
}

/** Until the first case notices: its own scenario first, then all base cases, then the stressors. */
export async function tryQuickly(mutant: Mutant, baseline: Baseline): Promise<MutantOutcome> {
  const started = performance.now()
  const broken = applied(mutant, baseline)
  const passesTextOnly = isWellBehaved(await play(broken, { scenario: idsOf(baseline, 'text-only'), stress: [] }))
  const noticed = (await firstKill(broken)) ?? []
  return {
    ...outcomeOf(mutant, noticed, passesTextOnly),
    passes: undefined,
    durationMs: performance.now() - started,
  }
}

/** All base cases, and all stressors over streams of two scenarios. */
export async function tryFully(mutant: Mutant, baseline: Baseline): Promise<MutantOutcome> {
  const started = performance.now()
  const broken = applied(mutant, baseline)
  const base = await play(broken, { stress: [] })
  const stressed = await playStressed(broken, {
    scenario: idsOf(baseline, stressedScenario, scenarioOf(mutant)),
    mode: 'stream',
    stress: [...stressorIds],
  })
  const checks = base.flatMap((one) => one.checks)
  const wrong = checks.filter(({ verdict }) => verdict === 'fail').length
  return {
    ...outcomeOf(
      mutant,
      [...base, ...stressed],
      isWellBehaved(base.filter(({ scenario }) => scenario === 'text-only')),
    ),
    passes: Math.floor((100 * (checks.length - wrong)) / checks.length),
    durationMs: performance.now() - started,
  }
}

/** Scenario that has something of everything that stressors look at. Mutants are stressed on it, and on their own scenario. */
const stressedScenario = 'parallel-calls'

async function firstKill(broken: Broken): Promise<readonly CaseReport[] | undefined> {
  const { mutant, subjects } = broken
  const check = mutant.killer.slice(mutant.killer.indexOf('#') + 1)
  const own = [scenarioOf(mutant)]
  const tries = [
    { scenario: own, stress: [] },
    ...(stressorIds.has(check) ? [{ scenario: own, stress: [check] }] : []),
    { scenario: undefined, stress: [] },
    { scenario: [stressedScenario], stress: [...stressorIds] },
  ]
  for (const { scenario, stress } of tries) {
    const known = scenario && idsOf(broken, ...scenario)
    if (known?.length === 0) continue
    for (const { name } of subjects) {
      const cases = await playStressed(broken, { only: [name], scenario: known, stress })
      if (cases.some(({ checks }) => failed(checks).length > 0)) return cases
    }
  }
  return undefined
}

/** What fails under a stressor without the mutant too, as known failures may, says nothing of the mutant. */
async function playStressed(broken: Broken, options: PlayedUnder): Promise<readonly CaseReport[]> {
  const cases = await play(broken, options)
  const fails = cases.some(({ checks }) => failed(checks).some((check) => stressorIds.has(check)))
  if (!fails) return cases
  const before = await failingWithout(broken, options)
  return cases.map((one) => {
    return { ...one, checks: one.checks.filter(({ id }) => !before.has(`${one.address}#${id}`)) }
  })
}

/** By what was played. Many mutants are stressed on the same cases, and without them these give the same. */
const soundRuns = new WeakMap<readonly Subject[], Map<string, Promise<ReadonlySet<string>>>>()

/** Addresses of the checks that fail without the mutant. */
function failingWithout({ sound, ...broken }: Broken, options: PlayedUnder): Promise<ReadonlySet<string>> {
  const runs = soundRuns.get(sound) ?? new Map<string, Promise<ReadonlySet<string>>>()
  soundRuns.set(sound, runs)
  const key = JSON.stringify(options)
  const run =
    runs.get(key) ??
    play({ ...broken, subjects: sound }, options).then(
      (cases) => new Set(cases.flatMap(({ address, checks }) => failed(checks).map((check) => `${address}#${check}`))),
    )
  runs.set(key, run)
  return run
}

type PlayedUnder = Parameters<typeof play>[1]

function applied(mutant: Mutant, { subjects, scenarios, knownFailures }: Baseline): Broken {
  return {
    mutant,
    scenarios,
    knownFailures,
    sound: subjects,
    subjects: subjects.map((subject) => mutant.apply(subject)),
  }
}

function outcomeOf(
  { id, killer }: Mutant,
  cases: readonly CaseReport[],
  passesTextOnly: boolean,
): Omit<MutantOutcome, 'passes' | 'durationMs'> {
  const red = cases.filter(({ checks }) => failed(checks).length > 0)
  const killers = [...new Set(red.flatMap(({ checks }) => failed(checks)))].toSorted()
  const byItsKiller = red.some(({ scenario, checks }) =>
    failed(checks).some((check) => `${scenario}#${check}` === killer),
  )
  return { id, killer, killers, firstCase: red[0]?.address, byItsKiller, passesTextOnly }
}

function isWellBehaved(cases: readonly CaseReport[]): boolean {
  return cases.every(({ checks }) => failed(checks).every((check) => check === 'claims'))
}

function scenarioOf({ killer }: Mutant): string {
  return killer.slice(0, killer.indexOf('#'))
}

/** Only those that there are. */
function idsOf({ scenarios }: Pick<Baseline, 'scenarios'>, ...ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].filter((id) => scenarios.some((scenario) => scenario.id === id))
}
