#!/usr/bin/env node
import { Command } from 'commander'
import { registerCassette } from './cassette/register-cassette.ts'
import { registerConformance } from './conformance.ts'
import { registerMutants } from './mutants.ts'
import { registerRecord } from './record.ts'
import { runCommand } from './run-command.ts'
import { registerTraffic } from './traffic.ts'

const program = new Command('steploop')
  .description('Checks adapters against scenarios, cassettes and recorded traffic')
  .showHelpAfterError()
  .exitOverride()

registerConformance(program)
registerTraffic(program)
registerRecord(program)
registerMutants(program)
registerCassette(program)

await runCommand(program, process.argv)
