import { hashOfAll } from './cassette-hashes.ts'
import type { Claim, ClaimedSubject } from './claim-schema.ts'
import { countsOf } from './counts-of.ts'
import { countOrigins } from '@steploop/conformance/cli'

/** What in a claim cannot be true beside the rest of it. None is written so: it was edited, or is damaged. */
export function contradictions({ subjects, frontEnds, handOverTo, mutants }: Claim): readonly string[] {
  const twice = subjects.find(({ name }, index) => subjects.findIndex((one) => one.name === name) !== index)
  const unknown = subjects.find(({ name }) => !handOverTo.includes(name))
  return [
    ...(twice === undefined ? [] : [`'${twice.name}' is in it twice`]),
    ...(unknown === undefined ? [] : [`\`handOverTo\` leaves '${unknown.name}' out`]),
    ...(new Set(frontEnds).size === frontEnds.length ? [] : ['a front-end is in it twice']),
    ...(mutants !== undefined && mutants.killed > mutants.mutants ? ['more mutants are killed than there are'] : []),
    ...subjects.flatMap(ofSubject),
  ]
}

function ofSubject({ name, cases, counts, cassettes }: ClaimedSubject): readonly string[] {
  const counted = countsOf(Object.values(cases).map((verdict) => ({ verdict })))
  const verdicts = [...Object.keys(counted), ...Object.keys(counts)]
  const isCounted = verdicts.every((verdict) => Reflect.get(counted, verdict) === Reflect.get(counts, verdict))
  return [
    ...(isCounted ? [] : [`the \`counts\` of '${name}' are not those of its cases`]),
    ...(hashOfAll(cassettes.files) === cassettes.sha256
      ? []
      : [`the hash of all cassettes of '${name}' is another one`]),
    ...(countOrigins(cassettes) <= Object.keys(cassettes.files).length
      ? []
      : [`'${name}' has more origins than cassettes`]),
  ]
}
