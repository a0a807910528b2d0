import {
  array,
  assert,
  boolean,
  constantFrom,
  nat,
  oneof,
  property,
  string as anyString,
  tuple,
  type Arbitrary,
} from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkParser, type ChunkPath } from './chunk-parser.ts'

const origin = { provider: 'sample', model: 'm' }
const paths: readonly ChunkPath[] = [
  ['choices', 0, 'delta', 'content'],
  ['choices', 0, 'delta', 'arguments'],
  ['pad'],
  ['number'],
]

function chunkOf(content: unknown, rest: object = {}): string {
  return JSON.stringify({ id: 'c-1', choices: [{ index: 0, delta: { content }, finish: null }], ...rest })
}

/** The texts, each through one parser, beside what a full parse gives of them. */
function expectFullParse(texts: readonly string[]): void {
  const parse = createChunkParser(paths, origin)
  for (const text of texts) expect(structuredClone(parse(text))).toEqual(JSON.parse(text))
}

/** How many of the texts are parsed in full, by the objects that come out. */
function objectsOf(texts: readonly string[]): number {
  const parse = createChunkParser(paths, origin)
  return new Set(texts.map((text) => parse(text))).size
}

const words = ['~', 'Hello', ' there', 'ü€😀', 'a "quoted" word', 'line\n', 'back\\slash', 'x'.repeat(40)]

test('chunks that differ in a text are read as a full parse reads them', () =>
  expectFullParse(words.map((word) => chunkOf(word))))

test('chunks that differ in a text are parsed in full once', () =>
  expect(objectsOf(words.map((word) => chunkOf(word)))).toBe(1))

test('chunks that differ in a text may differ in a padding and a number as well, wherever these stand', () => {
  const texts = words.map((word, at) =>
    chunkOf(word, { number: [1, 0, 9, 10, 99, 500, 100, 7][at], pad: 'p'.repeat(1 + (at % 3)) }),
  )
  expectFullParse(texts)
  expect(objectsOf(texts)).toBe(1)
})

test('an event with a count and no text, between pieces, is parsed in full, and what was learnt of them stays', () => {
  const texts = [chunkOf('a', { number: 1 }), JSON.stringify({ id: 'c-1', number: 2 }), chunkOf('b', { number: 3 })]
  expectFullParse(texts)
  expect(objectsOf(texts)).toBe(2)
})

test('chunks that differ in a text are parsed in full, after a few, where they differ elsewhere too', () => {
  const texts = Array.from({ length: 50 }, (_, index) => chunkOf(`w${index}`, { id: `c-${index}` }))
  expectFullParse(texts)
  expect(objectsOf(texts)).toBe(50)
})

test('what is neither a text nor a count is no piece', () => {
  for (const number of [1.5, -1, null]) {
    const texts = words.map((word) => chunkOf(word, { number, pad: '' }))
    expectFullParse(texts)
    expect(objectsOf(texts)).toBe(1)
  }
})

test('a piece may be empty', () => expect(objectsOf(['a', '', 'b'].map((word) => chunkOf(word)))).toBe(1))

test('chunks are given up after eight that taught nothing, and each that was known makes up for one', () => {
  const odd = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => chunkOf('odd', { id: `odd-${at}` }))
  const alike = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => chunkOf(`a${at}`))
  expect(objectsOf([...odd(7), ...alike(5)])).toBe(7 + 1)
  expect(objectsOf([...odd(8), ...alike(5)])).toBe(8 + 5)
  expect(objectsOf([...odd(7), ...alike(4), ...odd(1), ...alike(4)])).toBe(7 + 1 + 1 + 1)
  expect(objectsOf([...alike(20), ...odd(8), ...alike(5)])).toBe(1 + 8 + 5)
})

const first = chunkOf('word')
test.for<readonly [string, string]>([
  ['a text that goes on as JSON', first.replace('word', 'word","refusal":"no')],
  ['another order of names', '{"choices":[{"index":0,"delta":{"content":"b"},"finish":null}],"id":"c-1"}'],
  ['blanks', first.replaceAll(':', ': ')],
  ['another type', first.replace('"word"', '5')],
  ['no text', first.replace('word', '')],
  ['an escaped quote at its end', first.replace('word', '\\\\\\"')],
  ['escapes of what needs none', first.replace('word', '\\u0041\\/')],
  ['half a pair of surrogates', first.replace('word', '\\ud83d')],
  ['a second value for the same name', first.replace('"content":"word"', '"content":"word","content":"other"')],
  ['a second object for the same name', first.replace('"finish"', '"delta":{"content":"other"},"finish"')],
  ['more behind the text', first.replace('"finish":null', '"finish":"stop"')],
])('a look-alike with %s is read as a full parse reads it, before and after chunks of the other kind', ([, text]) => {
  expectFullParse([first, text, first, text, text.replace('word', 'wo'), first])
  expectFullParse([text, first, text, first])
})

test.for<readonly [string, string]>([
  ['a control character', first.replace('word', 'wo\nrd')],
  ['an escape that there is not', first.replace('word', 'wo\\qrd')],
  ['an escaped end', first.replace('word', 'word\\')],
  ['one quote for two', first.replace('word"', '')],
  ['an open quote', first.replace('word', 'wo"rd')],
  ['a cut', first.slice(0, -1)],
  ['a number that begins with 0', chunkOf('word', { number: 5 }).replace(':5', ':05')],
])('what is no JSON is refused where all but the text is known: %s', ([, text]) => {
  for (const known of [[chunkOf('a', { number: 4 }), chunkOf('b', { number: 6 })], [first]]) {
    const parse = createChunkParser(paths, origin)
    for (const one of known) parse(one)
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'malformed-response', ...origin }))
  }
})

test('a text that is spelled with escapes is not looked for where the same one is spelled without', () => {
  const spelled = (id: string): string => `{"id":"${id}","choices":[{"delta":{"content":"\\u0077ord"}}]}`
  expectFullParse([spelled('word'), spelled('next'), spelled('word')])
})

test('what a reader keeps of a chunk beside the texts, and writes to, is no other chunk’s', () => {
  const parse = createChunkParser(paths, origin)
  const text = chunkOf('word', { usage: { counts: [1] }, list: [] })
  const kept = Array.from({ length: 3 }, () => {
    const { usage, list } = parse(text) as { usage: { counts: number[] }; list: unknown[] }
    usage.counts.push(2)
    list.push(usage)
    return usage
  })
  expect(kept).toEqual([{ counts: [1, 2] }, { counts: [1, 2] }, { counts: [1, 2] }])
  expect(structuredClone(parse(text))).toEqual(JSON.parse(text))
})

test('backslashes before a quote are counted', () => {
  const texts = ['word', '\\"', '\\\\"', '"', 'a\\', '\\\\\\"'].map((text) => chunkOf(text, { pad: 'abc' }))
  expectFullParse(texts)
  expect(objectsOf(texts)).toBe(1)
})

test('the text of a chunk may stand in it elsewhere too', () => {
  const same = (word: string): string => chunkOf(word, { id: word, pad: word })
  expectFullParse(['c-1', 'id', 'choices', 'delta', ',', ':', '{', 'a'].flatMap((word) => [same(word), chunkOf(word)]))
})

/** JSON as servers write it: blanks, escapes of characters that need none, names in any order and twice. */
const key = constantFrom('id', 'choices', 'delta', 'content', 'arguments', 'pad', 'number', 'x')
const string = oneof(anyString({ unit: 'binary', maxLength: 20 }), constantFrom('","', '\\', '"', 'content', ':'), key)
const spelled = tuple(string, boolean()).map(([text, isEscaped]) => {
  const raw = JSON.stringify(text)
  return isEscaped ? raw.replaceAll(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`) : raw
})
const scalar = oneof(spelled, nat({ max: 20 }).map(String), constantFrom('null', '-1', '1.0', '1e2', '[]'))
const blank = constantFrom('', '', '', ' ')
const object = (value: Arbitrary<string>): Arbitrary<string> =>
  array(tuple(key, value, blank), { maxLength: 4 }).map(
    (members) => `{${members.map(([name, inner, space]) => `"${name}":${space}${inner}`).join(',')}}`,
  )
const delta = object(scalar)
const choice = oneof(
  object(oneof(delta, scalar)),
  delta.map((inner) => `{"delta":${inner}}`),
)
const chunk = oneof(
  object(
    oneof(
      choice.map((inner) => `[${inner}]`),
      scalar,
    ),
  ),
  tuple(choice, scalar, scalar).map(([inner, pad, number]) => `{"choices":[${inner}],"pad":${pad},"number":${number}}`),
)
/** A stream: chunks of their own, repetitions of some, and repetitions with another text. */
const stream = array(tuple(chunk, array(spelled, { maxLength: 5 })), { maxLength: 8 }).map((kinds) =>
  kinds.flatMap(([text, others]) => {
    const [known] = /"(?:content|arguments|pad)":"(?:[^"\\]|\\.)*"/.exec(text) ?? []
    const name = known?.slice(0, known.indexOf(':') + 1) ?? ''
    return [text, ...others.map((other) => (known === undefined ? text : text.replace(known, () => name + other)))]
  }),
)

test('every stream of chunks is read as full parses read it', () => {
  assert(property(stream, expectFullParse), { numRuns: 1000 })
})
