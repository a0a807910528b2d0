import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../test/scratch-folder.ts'
import { families } from './families.ts'
import { exempt, findMistakes, readExemptions } from './exemptions.ts'
import { violationsOf } from './judge.ts'
import { plant, type FaultSort } from './plant-fault.ts'
import { samplesOf } from './sample.ts'
import { readSources } from './sources.ts'

const ollama = families.find(({ name }) => name === 'ollama')!
const message = {
  type: 'object',
  properties: { role: { type: 'string' }, content: { type: 'string' } },
  required: ['role'],
}
const answer = { type: 'object', properties: { model: { type: 'string' }, message: { $ref: '#/definitions/Message' } } }
const schemas = { Message: message, ChatResponse: answer }
const rule = "ollama · ollama-go · ChatResponse: unknown field 'seed' (number)"

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

/** Nothing in particular is wanted of them. */
function wanted(...names: readonly string[]): Map<string, ReadonlySet<string>> {
  return new Map(names.map((name) => [name, new Set()]))
}

/** Sources of a specification without the additions, which name schemas that this one does not have. */
async function sources() {
  const folder = folderWith({ 'made-up.json': { definitions: schemas } })
  const { specifications, ...rest } = await readSources(wanted('made-up'), folder)
  return { ...rest, specifications: new Map([['ollama-go', specifications.get('made-up')!]]) }
}

const odd = { family: ollama, kind: 'body', json: { model: 'm', seed: 1 }, url: '', location: 'a.yaml#1' } as const

test('specifications that are no JSON, hold no schemas or lack one that is added to are named, and the others are read', async () => {
  const folder = folderWith({
    'broken.json': '{"a": ',
    'empty.json': [],
    'good.json': { components: { schemas } },
    'ollama-go.json': { definitions: schemas },
    'lacks.json': { definitions: schemas },
    'dangles.json': { definitions: { ...schemas, Root: { $ref: '#/definitions/Gone' } } },
  })
  const names = ['broken', 'empty', 'good', 'ollama-go', 'absent', 'lacks', 'dangles']
  const read = await readSources(
    wanted(...names)
      .set('lacks', new Set(['Root']))
      .set('dangles', new Set(['Root'])),
    folder,
  )
  expect([...read.specifications.keys()]).toEqual(['good'])
  expect(read.missing).toEqual(['absent'])
  expect(read.unreadable).toEqual([
    expect.stringMatching(/broken\.json: .*JSON/),
    expect.stringContaining('empty.json: it holds no schemas by name'),
    expect.stringContaining("ollama-go.json: it has no schema 'ChatRequestIn'"),
    expect.stringContaining("lacks.json: The specification 'lacks' has no schema 'Root'"),
    expect.stringContaining("dangles.json: it refers to a schema 'Gone'"),
  ])
})

test('specifications are made from the types of a package once for each version', async () => {
  const names = wanted('sdk/groq')
  const folder = scratchFolder()
  const [first, second] = [await readSources(names, folder), await readSources(names, folder)]
  expect([first.unreadable, second.unreadable]).toEqual([[], []])
  const { broken } = second.specifications.get('sdk/groq')!
  expect(broken('Request', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] })).toEqual([])
  expect(broken('Request', { model: 'm', messages: [], never_heard_of: 1 })).toHaveLength(1)
})

const recording = (body: object, more: object = {}) => ({
  ...more,
  interactions: [{ wire: 'ollama-native', provider: 'ollama', request: null, response: { status: 200, body } }],
})

async function judged(exemptions: Parameters<typeof exempt>[1], folders: readonly string[] = []) {
  const read = await sources()
  return exempt(violationsOf([odd, { ...odd, location: 'b.yaml#1' }], read), exemptions, { sources: read, folders })
}

test('a broken rule without an exemption is reported with its count and first location', async () => {
  const { unexplained } = await judged({ mistakes: {}, exceptions: [] })
  expect(unexplained).toEqual([{ rule, count: 2, location: 'a.yaml#1' }])
})

test('a broken rule may have an exception with a reason, and one that exempts nothing is reported', async () => {
  const exceptions = [
    { rule: "ollama · * field 'seed' *", reason: 'documented' },
    { rule: 'ollama · ollama-go · Message: x', reason: 'no more' },
  ]
  const { unexplained, exceptions: used, stale } = await judged({ mistakes: {}, exceptions })
  expect(unexplained).toEqual([])
  expect(used).toMatchObject([{ rule, reason: 'documented' }])
  expect(stale).toEqual(['exception that exempts nothing: ollama · ollama-go · Message: x'])
})

test('a broken rule is a mistake where recorded traffic breaks it too, but for recordings that a person edited', async () => {
  const read = await sources()
  const rules = new Set([rule])
  const edited = {
    'ollama/edited.json': recording({ model: 'm', seed: 2 }, { handEdited: true }),
    'ollama/other.json': recording({ model: 'm', seed: 'text' }),
    'ollama/broken.json': '{',
  }
  expect(findMistakes(rules, read, [folderWith(edited)])).toEqual({})
  const traffic = folderWith({ ...edited, 'ollama/real.json': recording({ model: 'm', seed: 7 }) })
  const mistakes = findMistakes(rules, read, [traffic])
  expect(mistakes).toEqual({ [rule]: 'ollama/real.json#1' })
  expect(await judged({ mistakes, exceptions: [] }, [traffic])).toMatchObject({
    unexplained: [],
    stale: [],
    unproven: 0,
  })
  expect(await judged({ mistakes, exceptions: [] })).toMatchObject({ unexplained: [], stale: [], unproven: 1 })
  const wrong = { [rule]: 'ollama/other.json#1' }
  const { stale } = await judged({ mistakes: wrong, exceptions: [] }, [traffic])
  expect(stale).toEqual([`mistake that ollama/other.json#1 does not show: ${rule}`])
})

test('a broken rule is no mistake when nothing breaks it any more', async () => {
  const { stale } = await judged({ mistakes: { 'ollama · ollama-go · Message: x': 'a#1' }, exceptions: [] })
  expect(stale).toEqual(['mistake that nothing needs: ollama · ollama-go · Message: x'])
})

test('a list of exemptions that is none is named', async () => {
  const folder = folderWith({ 'exceptions.yaml': '- rule: x\n' })
  const file = join(folder, 'exceptions.yaml')
  await expect(readExemptions(join(folder, 'none.json'), file)).rejects.toThrow(file)
})

const json = { model: 'm', tools: [{ function: { parameters: { type: 'object' } } }] }
const at = (sort: FaultSort, picked: number) => plant({ json, family: ollama }, sort, () => picked)

test('a planted fault is one field that nobody knows, of a wrong type, or missing', () => {
  expect(at('unknown field', 0)).toMatchObject({ path: 'planted', json: { planted: 1 } })
  expect(at('wrong type', 0)).toMatchObject({ path: 'model', json: { model: { planted: 1 } } })
  expect(at('missing field', 0)?.json).toEqual({ model: 'm', tools: [{}] })
  expect(json).toEqual({ model: 'm', tools: [{ function: { parameters: { type: 'object' } } }] })
})

test('a planted fault stands in no place that is free, such as the schema of a tool', () => {
  const paths = [0, 1, 2, 3, 4].map((picked) => at('unknown field', picked)?.path)
  expect(paths).toEqual(['planted', 'planted', 'tools.0.planted', 'tools.0.function.planted', undefined])
})

test('instances are made of every alternative: the least, the fullest, and each alternative of each member', () => {
  const made = samplesOf('Item', {
    Item: { anyOf: [{ $ref: '#/definitions/Call' }, { $ref: '#/definitions/Said' }] },
    Said: { type: 'object', properties: { type: { const: 'said' } }, required: ['type'] },
    Call: {
      type: 'object',
      properties: {
        type: { const: 'call' },
        id: { type: 'string' },
        by: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        arguments: { type: 'string' },
      },
      required: ['type', 'id'],
    },
  })
  expect(made).toEqual([
    { kind: 'call', json: { type: 'call', id: 'id_1' } },
    { kind: 'call', json: { type: 'call', id: 'id_1', by: 'made by', arguments: '{"made":true}' } },
    { kind: 'call', json: { type: 'call', id: 'id_1', by: expect.any(String), arguments: '{"made":true}' } },
    { kind: 'call', json: { type: 'call', id: 'id_1', by: null, arguments: '{"made":true}' } },
    { kind: 'said', json: { type: 'said' } },
    { kind: 'said', json: { type: 'said' } },
  ])
})
