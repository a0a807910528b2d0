export type { SteploopConfig } from './config/load-config.ts'
