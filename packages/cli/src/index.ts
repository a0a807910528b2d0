export type { SteploopConfig } from './load-config.ts'
