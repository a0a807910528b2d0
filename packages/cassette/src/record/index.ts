export {
  createRecorder,
  type Recorder,
  type RecorderHeader,
  type RecorderOptions,
  simulatorHeader,
} from './recorder.ts'
