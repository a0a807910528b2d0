import type { Subject } from '@steploop/conformance'
import type { Detected } from '@steploop/conformance/cli'

/**
 * The subject that decodes an exchange: of those that speak its wire format the one whose `hosts` name its host, else the one without
 * `hosts`. `undefined`: no adapter speaks it yet.
 */
export function pickSubject(subjects: readonly Subject[], { wire, host }: Detected): Subject | undefined {
  const speakers = subjects.filter((subject) => subject.wire === wire)
  const own = speakers.find((subject) => host !== undefined && subject.hosts?.some((suffix) => isHost(host, suffix)))
  return own ?? speakers.find((subject) => subject.hosts === undefined)
}

/** `x.ai` is the host `x.ai` and `api.x.ai`, never `phoenix.ai`; a suffix with a port wants that port. */
function isHost(host: string, suffix: string): boolean {
  const wanted = suffix.toLowerCase()
  const actual = wanted.includes(':') ? host.toLowerCase() : host.toLowerCase().replace(/:\d+$/, '')
  return actual === wanted || actual.endsWith(`.${wanted}`)
}
