import { existsSync } from 'node:fs'
import { parseCassette, printCassette, readCassette, type Cassette } from '@steploop/cassette'
import type { KnownFailure } from '@steploop/conformance'
import {
  cassettePath,
  type Evidence,
  replayFetch,
  replayProblems,
  judgeCase,
  isKnownFailure,
  playScenario,
  type PlayOptions,
  type CheckReport,
  lineDiff,
  traceOf,
  canonicalJson,
} from '@steploop/conformance/cli'

export interface VerifyOptions extends Pick<PlayOptions, 'subject' | 'scenario' | 'mode' | 'deadline'> {
  /** Failures that stand in the list do not stop the recording, as long as its exchanges are complete. */
  readonly knownFailures: readonly KnownFailure[]
  /** `YYYY-MM-DD`: lines of the list that are expired by then excuse nothing. */
  readonly today: string
}

/** What is wrong with a recording. Each list is empty when all is well. */
export interface RecordingVerification {
  /** The file would not replay to what was recorded: asking the model again cannot help. */
  readonly broken: readonly string[]
  /** The model, or the adapter, did not do what the scenario says. */
  readonly failed: readonly string[]
  /** Ids of the checks that fail, as the list of known failures says they do. */
  readonly excused: readonly string[]
}

/**
 * Replays the recording as its file will hold it: the trace has to be the same, every exchange asked for, and every check of the
 * scenario has to hold, known failures aside. Without `recorded` (nothing was played yet) there is no trace to compare.
 */
export async function verifyRecording(
  cassette: Cassette,
  recorded: Pick<Evidence, 'runs'> | undefined,
  { knownFailures, today, ...play }: VerifyOptions,
): Promise<RecordingVerification> {
  const { subject, scenario, mode } = play
  const path = cassettePath(subject, scenario.id, mode)
  const { fetch, replay } = replayFetch(parseCassette(printCassette(cassette), path), path)
  const replayed = await playScenario({ ...play, fetch, instantPauses: true })
  const { kind: origin, by: recordedBy } = cassette.header.origin
  const evidence = { ...replayed, origin, recordedBy, replayProblems: replayProblems(replay) }
  const failing = judgeCase(evidence, scenario, subject).filter(({ failures }) => failures.length > 0)
  // What was played has to replay, whatever is known to fail; a derived cassette holds what the adapter should have asked.
  const isExcused = ({ address, id }: CheckReport): boolean => {
    return (id !== 'as-recorded' || recorded === undefined) && isKnownFailure(address, knownFailures, today)
  }
  const failed = failing
    .filter((check) => !isExcused(check))
    .flatMap(({ id, failures }) =>
      failures.map(({ message, where }) => `${id}: ${where === undefined ? '' : `${where}: `}${message}`),
    )
  const excused = failing.filter(isExcused).map(({ id }) => id)
  return { broken: traceDifference(recorded, evidence), failed, excused }
}

function traceDifference(recorded: Pick<Evidence, 'runs'> | undefined, replayed: Evidence): readonly string[] {
  if (recorded === undefined) return []
  const expected = traceOf(recorded.runs)
  const got = traceOf(replayed.runs)
  if (canonicalJson(got) === canonicalJson(expected)) return []
  const diff = lineDiff(JSON.stringify(expected, undefined, 1), JSON.stringify(got, undefined, 1))
  const lines = diff.split('\n').filter((line) => !line.startsWith('  '))
  const shown = lines.slice(0, 12).join('\n')
  return [`the replay gives another trace than the recording (- recorded, + replayed):\n${shown}`]
}

/** Whether the file differs in nothing but its date, and where the loopback interface happened to cut the chunks. */
export function isRecordedAlready(path: string, cassette: Cassette): boolean {
  const { kind } = cassette.header.origin
  if ((kind !== 'simulated' && kind !== 'derived') || !existsSync(path)) return false
  try {
    const known = readCassette(path)
    return printCassette(timeless(known)) === printCassette(timeless(cassette))
  } catch {
    // Unreadable: it has to be written anew.
    return false
  }
}

function timeless(cassette: Cassette): Cassette {
  return {
    header: { ...cassette.header, origin: { ...cassette.header.origin, date: '2000-01-01' } },
    exchanges: cassette.exchanges.map(({ request, response }) => ({
      request,
      response: { ...response, chunks: [{ ms: 0, bytes: response.body.length }] },
    })),
  }
}
