import { onBoth, onRecorded, type RecordedFacts, type Normalization } from './finding.ts'
import { plainText } from './plain-text.ts'

export const plainTexts = onBoth('plain-text', plainText)

/** Ours leaves out what a response says in blanks, in whose place the recorded client has one character. */
export function blankText({ responses }: RecordedFacts): Normalization<string> {
  const said = responses.map(({ parts }) => parts.map(textOf).filter((text) => text !== ''))
  return onRecorded('blank-text', (recorded, ours) => {
    const isFilled = said.some(
      (texts) =>
        texts.filter((text) => text.trim() !== '').join('') === ours && withoutFilling(recorded, texts) === ours,
    )
    return isFilled ? ours : recorded
  })
}

/** The text without the characters in the places of blank texts. */
function withoutFilling(recorded: string, texts: readonly string[]): string {
  let at = 0
  return texts
    .map((text) => {
      const isBlank = text.trim() === ''
      const length = isBlank ? 1 : text.length
      at += length
      return isBlank ? '' : recorded.slice(at - length, at)
    })
    .join('')
    .concat(recorded.slice(at))
}

/** Ours is what a response says, and all that the recorded client says is in it. */
export function textLeftOut({ responses }: RecordedFacts): Normalization<string> {
  const bare = (text: string): string => plainText(text).replaceAll(/\s+/g, '')
  const said = responses.map(({ parts }) => bare(parts.map(textOf).join('')))
  return onRecorded('text-left-out', (recorded, ours) =>
    said.some((text) => text.includes(bare(ours))) && bare(ours).includes(bare(recorded)) ? ours : recorded,
  )
}

function textOf(part: RecordedFacts['responses'][number]['parts'][number]): string {
  return part.type === 'text' || part.type === 'refusal' ? part.text : ''
}
