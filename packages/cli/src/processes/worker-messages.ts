import type { ConformanceOptions, HarnessError } from '@steploop/conformance'
import type { CaseProgress } from '@steploop/conformance/cli'

export type WorkerAnswer<Result> =
  | { readonly type: 'progress'; readonly progress: CaseProgress }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'failed'; readonly message: string; readonly code: HarnessError['code'] | undefined }

/** What a worker process is asked for, one after the other: a subject, or a part of one. */
export interface ConformanceJob {
  readonly config: string
  readonly subject: string
  readonly options: WorkerOptions
}

/** Options that are data, so that they can go to another process. */
export type WorkerOptions = Omit<ConformanceOptions, 'only' | 'onProgress' | 'scenarios'>
