import { HarnessError, type Subject } from '@steploop/conformance'
import { runRecorded, runTraffic } from '@steploop/lab'
import { loadConfig } from '../config/load-config.ts'
import type { JudgeFinding, JudgeJob } from './judgement.ts'

/** Recorded responses of real providers, decoded; then the loop on the recorded conversations. By all subjects of the same wire formats. */
export async function judgeByTraffic({ config, subjects: names, traffic }: JudgeJob): Promise<JudgeFinding> {
  const all = (await loadConfig(config)).subjects
  const wires = new Set(all.filter(({ name }) => names.includes(name)).map(({ wire }) => wire))
  const subjects = all.filter(({ wire }) => wires.has(wire))
  let turns = 0
  for (const directory of traffic) {
    const { findings, wires: counts } = await runTraffic({ directory, subjects })
    for (const one of Object.values(counts)) turns += one.turns + one.unkeyed + one.handEdited.turns
    const [first] = findings
    if (first !== undefined) return { noticedBy: `${first.file} ${first.type}`, ran: `${turns} turns` }
  }
  for (const directory of traffic) {
    const [first] = await recordedFindings(directory, subjects)
    if (first !== undefined) return { noticedBy: `${first.file} ${first.message}`, ran: `${turns} turns` }
  }
  return { noticedBy: undefined, ran: `${turns} turns, and the loop on their conversations` }
}

/** Not every folder has conversations of every wire format: that there are none is no finding. */
async function recordedFindings(directory: string, subjects: readonly Subject[]) {
  try {
    return (await runRecorded({ directory, subjects })).findings
  } catch (error) {
    if (HarnessError.isInstance(error) && error.message.includes('holds no recorded conversation')) return []
    throw error
  }
}
