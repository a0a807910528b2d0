import type { Failure } from '../check.ts'
import type { Evidence } from '../evidence.ts'
import { replayFetch } from '../play/front-ends.ts'
import { playScenario, type PlayOptions } from '../play/play-scenario.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { parsed } from '../json.ts'
import type { StressCase } from './stressor.ts'

/** Plays the case again in another way; the requests have to be the recorded ones, byte by byte. */
export async function playsAlike(
  stressCase: StressCase,
  how: string,
  way: Pick<PlayOptions, 'interruptAfter' | 'hold'>,
): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, cassette, fileName, evidence } = stressCase
  const { fetch } = replayFetch(cassette, fileName)
  const again = await playScenario({ subject, scenario, mode, deadline, fetch, ...way })
  const expected = bodies(evidence)
  const got = bodies(again)
  const at = expected.findIndex((body, index) => body !== got[index])
  if (at === -1 && got.length === expected.length) return []
  const number = at === -1 ? expected.length : at
  const [left = '', right = ''] = [expected[number], got[number]].map(
    (text) => JSON.stringify(parsed(text ?? ''), undefined, 1) ?? 'no request',
  )
  const lines = lineDiff(left, right)
    .split('\n')
    .filter((line) => !line.startsWith('  '))
  const shown = lines.length === 0 ? 'the order of keys differs' : lines.slice(0, 8).join('\n')
  return [
    { message: `${how}, the request is another one (- before, + now):\n${shown}`, where: `request ${number + 1}` },
  ]
}

function bodies({ runs }: Pick<Evidence, 'runs'>): readonly string[] {
  return runs.flatMap(({ requests }) => requests.map(({ text }) => text))
}
