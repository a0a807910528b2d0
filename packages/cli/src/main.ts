#!/usr/bin/env node
import { Command } from 'commander'
import { runCommand } from './run-command.ts'
import { registerTraffic } from './traffic.ts'

const program = new Command('steploop')
  .description('Checks adapters against scenarios, cassettes and recorded traffic')
  .showHelpAfterError()
  .exitOverride()

registerTraffic(program)

await runCommand(program, process.argv)
