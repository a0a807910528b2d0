export { toHar } from './to-har.ts'
