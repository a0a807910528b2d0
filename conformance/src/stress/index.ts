import { abort } from './abort.ts'
import { checksum } from './checksum.ts'
import { errors } from './errors.ts'
import { flaky } from './flaky.ts'
import { fragments } from './fragments.ts'
import { handOverStressor } from './hand-over.ts'
import { refuse, tolerate } from './tolerate-refuse.ts'
import { instance } from './instance.ts'
import { long } from './long.ts'
import { noise } from './noise.ts'
import { order } from './order.ts'
import { rechunk } from './rechunk.ts'
import { requests } from './requests.ts'
import { resume } from './resume.ts'
import { secrets } from './secrets.ts'
import { stable } from './stable.ts'
import type { Stressor } from './stressor.ts'
import { truncate } from './truncate.ts'
import { twins } from './twins.ts'

/** Run over every case that passes, in this order. */
export const stressors: readonly Stressor[] = [
  rechunk,
  noise,
  fragments,
  truncate,
  checksum,
  stable,
  instance,
  long,
  order,
  resume,
  twins,
  secrets,
  handOverStressor,
  requests,
  errors,
  flaky,
  abort,
  tolerate,
  refuse,
]
