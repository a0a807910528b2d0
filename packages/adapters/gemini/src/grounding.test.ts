import { expect, test } from 'vitest'
import { answer, readStream, readWhole } from './testing.ts'

const web = (name: string) => ({ web: { uri: `https://${name}.example`, title: name } })

function citations(parts: readonly object[], groundingMetadata: object): unknown {
  const { turn } = readWhole(answer(parts, { finishReason: 'STOP', groundingMetadata }))
  return turn.message.content.flatMap((part) => (part.type === 'text' ? [part.citations] : []))
}

test('a segment without its text is found by its offsets, from the beginning where the start is left out', () => {
  // The API leaves out what is 0.
  const groundingSupports = [{ segment: { endIndex: 4 }, groundingChunkIndices: [0] }]
  expect(citations([{ text: 'Yes. Rain.' }], { groundingChunks: [web('a')], groundingSupports })).toEqual([
    [{ url: 'https://a.example', title: 'a', startIndex: 0, endIndex: 4 }],
  ])
})

test('a retrieved document is a file, and has an address where that can be opened', () => {
  const documents = ['gs://bucket/a', 'https://b.example'].map((uri) => ({ retrievedContext: { uri, title: 'Doc' } }))
  const groundingSupports = [{ segment: { endIndex: 3 }, groundingChunkIndices: [0, 1] }]
  const found = { kind: 'file', title: 'Doc', startIndex: 0, endIndex: 3 }
  expect(citations([{ text: 'Yes' }], { groundingChunks: documents, groundingSupports })).toEqual([
    [found, { ...found, url: 'https://b.example' }],
  ])
})

test('a segment is found by its offsets where its text stands more than once', () => {
  const segment = { startIndex: 5, endIndex: 9, text: 'rain' }
  const groundingSupports = [{ segment, groundingChunkIndices: [0] }]
  expect(citations([{ text: 'rain rain, sun' }], { groundingChunks: [web('a')], groundingSupports })).toEqual([
    [{ url: 'https://a.example', title: 'a', startIndex: 5, endIndex: 9 }],
  ])
})

test('in a stream the citation falls on the part that holds the segment', () => {
  const groundingMetadata = {
    groundingChunks: [web('a')],
    groundingSupports: [{ segment: { startIndex: 4, endIndex: 8, text: 'rain' }, groundingChunkIndices: [0] }],
  }
  const { turn } = readStream([
    answer([{ text: 'It, ', thoughtSignature: 's' }], {}),
    answer([{ text: 'ra' }], {}),
    answer([{ text: 'in' }], {}),
    answer([{ text: '', thoughtSignature: 't' }], { finishReason: 'STOP', groundingMetadata }),
  ])
  expect(turn.message.content).toMatchObject([
    { text: 'It, ' },
    { text: 'rain', citations: [{ url: 'https://a.example', startIndex: 0, endIndex: 4 }] },
    { text: '' },
  ])
})

test('sources that every chunk repeats are cited once, and supports may come after their sources', () => {
  const groundingSupports = [{ segment: { endIndex: 5, text: 'Rain.' }, groundingChunkIndices: [0] }]
  const { turn } = readStream([
    answer([{ text: 'Ra' }], { groundingMetadata: { groundingChunks: [web('a')] } }),
    answer([{ text: 'in.' }], { groundingMetadata: { groundingChunks: [web('a'), web('b')] } }),
    answer([], { groundingMetadata: { groundingSupports }, finishReason: 'STOP' }),
  ])
  expect(turn.message.content).toMatchObject([
    {
      citations: [
        { url: 'https://a.example', startIndex: 0, endIndex: 5 },
        { url: 'https://b.example', title: 'b' },
      ],
    },
  ])
})

test('a list of sources without supports does not take over those of the list before it', () => {
  const groundingSupports = [{ segment: { endIndex: 5, text: 'Rain.' }, groundingChunkIndices: [0] }]
  const { turn } = readStream([
    answer([{ text: 'Rain.' }], { groundingMetadata: { groundingChunks: [web('a')], groundingSupports } }),
    answer([], { groundingMetadata: { groundingChunks: [web('b')] }, finishReason: 'STOP' }),
  ])
  expect(turn.message.content).toEqual([
    {
      type: 'text',
      text: 'Rain.',
      citations: [
        { url: 'https://b.example', title: 'b' },
        { url: 'https://a.example', title: 'a', startIndex: 0, endIndex: 5 },
      ],
    },
  ])
})

test.for([[null], [{}]])('a later chunk whose grounding is %j takes nothing back', ([groundingMetadata]) => {
  const { turn } = readStream([
    answer([{ text: 'Rain.' }], { groundingMetadata: { groundingChunks: [web('a')] } }),
    answer([], { groundingMetadata, finishReason: 'STOP' }),
  ])
  expect(turn.message.content).toMatchObject([{ citations: [{ url: 'https://a.example' }] }])
})

// The Gemini API says `citationSources` (https://ai.google.dev/api/generate-content#CitationMetadata), Vertex AI `citations`.
test.for(['citationSources', 'citations'])('works that the text repeats are cited from %s', (name) => {
  const citationMetadata = { [name]: [{ startIndex: 0, endIndex: 4, uri: 'https://work.example', license: 'mit' }] }
  const { turn } = readWhole(answer([{ text: 'Rain.' }], { finishReason: 'STOP', citationMetadata }))
  expect(turn.message.content).toMatchObject([
    { citations: [{ kind: 'work', url: 'https://work.example', startIndex: 0, endIndex: 4 }] },
  ])
})

test.each([{ startIndex: 90, endIndex: 95 }, {}])(
  'the segment %j is no place, so the last of several texts is cited without a range',
  (segment) => {
    const groundingSupports = [{ segment, groundingChunkIndices: [0] }]
    const parts = [{ text: 'Yes.', thoughtSignature: 's' }, { text: ' Rain.' }]
    expect(citations(parts, { groundingChunks: [web('a')], groundingSupports })).toEqual([
      undefined,
      [{ url: 'https://a.example', title: 'a' }],
    ])
  },
)

test('a source that supports no segment is cited by the last of several texts', () => {
  const parts = [{ text: 'Yes.', thoughtSignature: 's' }, { text: ' Rain.' }]
  expect(citations(parts, { groundingChunks: [web('a')] })).toEqual([
    undefined,
    [{ url: 'https://a.example', title: 'a' }],
  ])
})

test('sources without a text get an empty text part', () => {
  expect(citations([], { groundingChunks: [web('a')] })).toEqual([[{ url: 'https://a.example', title: 'a' }]])
})

test('search suggestions, which have to be shown to users, are kept with the message', () => {
  const groundingMetadata = { searchEntryPoint: { renderedContent: '<div>' } }
  const { turn } = readWhole(answer([{ text: 'x' }], { finishReason: 'STOP', groundingMetadata }))
  expect(turn.message.providerMetadata).toMatchObject({ provider: 'gemini', data: { groundingMetadata } })
})
