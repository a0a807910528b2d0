export { chatStoreCases, type ChatStoreCase, type TriedStore } from './store-cases.ts'
