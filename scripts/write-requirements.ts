/** `pnpm requirements`: the requirement set of today, when the suite asks for something new. */
import { requirementsFolder } from '@steploop/conformance/cli'
import { writeRequirements } from './requirement-file.ts'

console.log(writeRequirements(requirementsFolder, new Date().toISOString().slice(0, 10)))
