export { bodiesEnded } from './bodies-ended.ts'
export {
  createRecorder,
  type Recorder,
  type RecorderHeader,
  type RecorderOptions,
  simulatorHeader,
} from './recorder.ts'
export { createRebase, type Rebase, type RebaseOptions } from './rebase.ts'
