import { modelTraits, type ModelTraits } from '@steploop/anthropic'

/** What differs between models behind Converse, read from the id of a model or of an inference profile. */
export interface ModelFamily {
  readonly name: 'claude' | 'nova' | 'gpt-oss' | 'other'
  /** Traits of a Claude; absent for other models. */
  readonly claude?: ModelTraits | undefined
}

/** An id that says nothing (the ARN of an application's profile) is `other`, which takes what every model takes. */
export function modelFamily(model: string): ModelFamily {
  const id = model.toLowerCase()
  if (id.includes('claude')) return { name: 'claude', claude: modelTraits(id) }
  if (id.includes('amazon.nova')) return { name: 'nova' }
  return { name: id.includes('gpt-oss') ? 'gpt-oss' : 'other' }
}

/** Whether two models take each other's thoughts. Of what is no family we know only the vendor, who stands behind the region. */
export function isSameFamily(one: string, other: string): boolean {
  const { name } = modelFamily(one)
  return name === modelFamily(other).name && (name !== 'other' || vendorOf(one) === vendorOf(other))
}

function vendorOf(model: string): string | undefined {
  return model.replace(/^(us|us-gov|eu|apac|jp|au|ca|sa|global)\./, '').split('.')[0]
}
