import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { additions } from './additions.ts'
import { compileSpecification, type Specification } from './specification.ts'

/** The specifications that there are here. */
export interface Sources {
  readonly specifications: ReadonlyMap<string, Specification>
  /** Files that are no specification, each with what is wrong. */
  readonly unreadable: readonly string[]
  /** Names of specifications that do not lie here. */
  readonly missing: readonly string[]
  /** Names of all that cannot be judged by: missing or unreadable. */
  readonly unread: readonly string[]
}

/** Packages of vendors whose types describe the wire. The adapters have them as development dependencies too. */
const packages = {
  openai: 'openai',
  anthropic: '@anthropic-ai/sdk',
  groq: 'groq-sdk',
  bedrock: '@aws-sdk/client-bedrock-runtime',
  cohere: 'cohere-ai',
} as const

/** By the name of a specification, the schemas that documents are held against. */
export type RootNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Compiles every specification of `wanted`: `sdk/NAME` is made from a vendor's types, any other is a file of `folder`. A file that is
 * none, or lacks a schema that is wanted of it, is told in `unreadable`, and one that is not there in `missing`.
 */
export async function readSources(wanted: RootNames, folder: string): Promise<Sources> {
  const specifications = new Map<string, Specification>()
  const unreadable: string[] = []
  const missing: string[] = []
  for (const [name, roots] of wanted) {
    const path = `${folder}/${name}.json`
    const isPackage = name.startsWith('sdk/')
    if (!isPackage && !existsSync(path)) {
      missing.push(name)
      continue
    }
    try {
      const schemas = isPackage ? await sdkSchemas(name.slice('sdk/'.length)) : await fileSchemas(path)
      const specification = compileSpecification(name, withAdditions(schemas, additions[name]))
      // A schema is compiled when something is first held against it.
      for (const root of roots) specification.broken(root, {})
      specifications.set(name, specification)
    } catch (error) {
      unreadable.push(`${isPackage ? name : path}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const unread = [...wanted.keys()].filter((name) => !specifications.has(name))
  return { specifications, unreadable, missing, unread }
}

function withAdditions(schemas: JsonObject, required: Readonly<Record<string, readonly string[]>> = {}): JsonObject {
  const added = Object.entries(required).map(([name, members]) => {
    const schema = schemas[name]
    if (!isObject(schema)) throw new Error(`it has no schema '${name}', which additions.ts names`)
    return [name, { ...schema, required: [...new Set([...arrayOf(schema['required']), ...members])] }]
  })
  return { ...schemas, ...(Object.fromEntries(added) as JsonObject) }
}

async function fileSchemas(path: string): Promise<JsonObject> {
  return schemasOf(JSON.parse(await readFile(path, 'utf8')))
}

/** Schemas by name, wherever the document keeps them. */
function schemasOf(document: unknown): JsonObject {
  const root = objectOf(document)
  const schemas = objectOf(root['components'])['schemas'] ?? root['definitions'] ?? root['$defs'] ?? root
  if (isObject(schemas) && Object.keys(schemas).length > 0 && Object.values(schemas).every(isObject)) return schemas
  throw new Error('it holds no schemas by name')
}

/** Made from the types with a TypeScript compiler, which takes seconds; kept for as long as the package's version stays. */
async function sdkSchemas(name: string): Promise<JsonObject> {
  const packageName = Object.entries(packages).find(([key]) => key === name)?.[1]
  if (packageName === undefined) throw new Error('no package is known for it')
  const types = new URL(`sdk-types/${name}.ts`, import.meta.url)
  const versions = await Promise.all([packageName, 'ts-json-schema-generator'].map(versionOf))
  const { hash } = await import('node:crypto')
  const roots = hash('sha256', await readFile(types, 'utf8')).slice(0, 8)
  const folder = new URL('node_modules/.cache/', import.meta.url)
  const kept = new URL(`${name}-${versions.join('-')}-${roots}.json`, folder)
  if (existsSync(kept)) return fileSchemas(fileURLToPath(kept))
  const { createGenerator } = await import('ts-json-schema-generator')
  const made = createGenerator({
    path: fileURLToPath(types),
    tsconfig: fileURLToPath(new URL('sdk-types/tsconfig.schemas.json', import.meta.url)),
    skipTypeCheck: true,
    encodeRefs: false,
    jsDoc: 'none',
  }).createSchema('*')
  await mkdir(folder, { recursive: true })
  const text = JSON.stringify(made, (_name, value: unknown) => asSent(value))
  await writeFile(kept, text)
  return schemasOf(JSON.parse(text))
}

/** Bytes go over the wire as a text in base64, and what AWS's package does not know is no alternative that anybody sends. */
function asSent(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const properties = objectOf(schema['properties'])
  if ('BYTES_PER_ELEMENT' in properties) return { type: 'string' }
  if ('$unknown' in properties) return {}
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return schema
  return { ...schema, anyOf: anyOf.filter((one) => !textOf(objectOf(one)['$ref'])?.endsWith('.$UnknownMember')) }
}

async function versionOf(packageName: string): Promise<string> {
  const manifest = new URL(`node_modules/${packageName}/package.json`, import.meta.url)
  return String(objectOf(JSON.parse(await readFile(manifest, 'utf8')))['version'])
}
