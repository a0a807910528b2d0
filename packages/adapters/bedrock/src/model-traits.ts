import { modelTraits, type ModelTraits } from '@steploop/anthropic'

/** What differs between models behind Converse, read from the id of a model or of an inference profile. */
export interface ModelFamily {
  readonly name: 'claude' | 'nova' | 'gpt-oss' | 'other'
  /** Of Claude. */
  readonly claude?: ModelTraits | undefined
}

/** An id that says nothing (the ARN of an application's profile) is `other`, which takes what every model takes. */
export function modelFamily(model: string): ModelFamily {
  const id = model.toLowerCase()
  if (id.includes('claude')) return { name: 'claude', claude: modelTraits(id) }
  if (id.includes('amazon.nova')) return { name: 'nova' }
  return { name: id.includes('gpt-oss') ? 'gpt-oss' : 'other' }
}
