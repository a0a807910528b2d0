import type { CaseDetails } from '@steploop/conformance/cli'
import { framesOf, type FramePiece } from './frames.ts'
import { bytesText } from './words.ts'

export interface FrameListProps {
  readonly response: NonNullable<CaseDetails['runs'][number]['steps'][number]['attempts'][number]['response']>
  readonly label: string
}

/** The body as it arrived: a frame per row, and a mark wherever a chunk began. */
export function FrameList({ response, label }: FrameListProps) {
  return (
    <div class="frames" tabIndex={0} role="region" aria-label={label}>
      <ol>
        {framesOf(response).map((pieces, index) => (
          <li key={index}>
            <pre>
              {pieces.map((piece, at) => (
                <Piece key={at} piece={piece} isLast={at === pieces.length - 1} />
              ))}
            </pre>
          </li>
        ))}
      </ol>
    </div>
  )
}

function Piece({ piece, isLast }: { readonly piece: FramePiece; readonly isLast: boolean }) {
  switch (piece.type) {
    case 'mark': {
      const { chunk, ms, bytes } = piece
      return (
        <span class="mark" title={`Chunk ${chunk}: ${bytesText(bytes)}, ${ms} ms after the one before`}>
          ▏{chunk} · {bytesText(bytes)} · +{ms} ms
        </span>
      )
    }
    case 'text':
      // The blank line at the end of each frame is seen by the next number.
      return <>{isLast ? piece.text.replace(/[\r\n]+$/, '') : piece.text}</>
    default:
      return piece satisfies never
  }
}
