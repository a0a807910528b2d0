export { type CassetteFetch, cassetteFetch } from './cassette-fetch.ts'
