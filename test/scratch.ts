import { scenarios, type Scenario, type Subject } from '@steploop/conformance'
import config from '../steploop.config.ts'
import { scratchFolder } from './scratch-folder.ts'

export { scratchFolder }

export function subjectNamed(name: string): Subject {
  return found(
    name,
    config.subjects.find((subject) => subject.name === name),
  )
}

/** The subject, with its cassettes in a folder of this test. */
export function inScratch(name: string): Subject & { readonly cassettes: string } {
  return { ...subjectNamed(name), cassettes: scratchFolder() }
}

export function scenarioNamed(name: string): Scenario {
  return found(
    name,
    scenarios.find(({ id }) => id === name),
  )
}

function found<Thing>(name: string, thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error(`there is no '${name}'`)
  return thing
}
