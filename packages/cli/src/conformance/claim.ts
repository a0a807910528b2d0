import { HarnessError, type KnownFailure, type Report } from '@steploop/conformance'
import { adapterPackage, makeClaim, type AdapterPackage } from '@steploop/lab'
import type { LoadedConfig } from '../config/load-config.ts'
import { pathOf, writeReport } from '../command/write-report.ts'

/** The options of a run that decide whether it can be claimed. */
export interface ClaimFlags {
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly stress: readonly string[]
  readonly shard?: string | undefined
  readonly full?: boolean | undefined
}

export interface ClaimOptions {
  readonly config: LoadedConfig
  /** Names of those that run. */
  readonly chosen: readonly string[]
  readonly knownFailures: readonly KnownFailure[]
  readonly flags: ClaimFlags
}

/**
 * Finds out before the run, which takes its time, whether a claim can be made of it. Writes nothing, and says why, when the run is not as
 * expected.
 *
 * @throws HarnessError `usage` for a filtered run, `config` when an adapter has no version
 */
export function claimFile(
  given: string,
  { config, chosen, knownFailures, flags }: ClaimOptions,
): { write(report: Report): Promise<void> } {
  const file = pathOf(given)
  refuseFilters(flags)
  const packages = packagesOf(config, chosen)
  return {
    async write(report) {
      if (!report.ok) {
        console.error(
          'steploop: no claim was written: the run is not as expected. Fix what is red, or list it in known-failures.yaml.',
        )
        return
      }
      const facts = { subjects: config.subjects, packages, knownFailures, full: flags.full === true }
      await writeReport(file, `${JSON.stringify(makeClaim(report, facts), undefined, 2)}\n`)
    },
  }
}

function refuseFilters({ scenario, mode, stress, shard }: ClaimFlags): void {
  const filters = [
    scenario.length > 0 && '--scenario',
    mode !== undefined && '--mode',
    stress.length > 0 && '--stress',
    shard !== undefined && '--shard',
  ].filter((name) => name !== false)
  if (filters.length === 0) return
  throw new HarnessError(
    'usage',
    `A claim is of all that the suite asks for, and ${filters.join(' and ')} would leave a part out. Take it away, or leave --claim out; --only may stay.`,
  )
}

/** In which package, and which version of it, each adapter is published. */
export function packagesOf(
  { subjects, root }: LoadedConfig,
  names: readonly string[],
): ReadonlyMap<string, AdapterPackage> {
  const named = subjects.filter(({ name }) => names.includes(name))
  return new Map(named.map((subject) => [subject.name, adapterPackage(subject, root)]))
}
