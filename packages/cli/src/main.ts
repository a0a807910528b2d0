#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Halves the time until the first case: https://nodejs.org/api/module.html#moduleenablecompilecachecachedir. Only what is imported after it
// gains.
enableCompileCache()
await import('./program.ts')
