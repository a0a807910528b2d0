import { parsed } from '../../json.ts'
import type { ResponsePart } from './response-view.ts'

interface OpenPart {
  readonly kind: ResponsePart['type']
  text: string
  id: string
  toolName: string
  input: unknown
}

/** Collects the parts of a response from pieces that may come in any order; a key says which part a piece belongs to. */
export interface PartList {
  /** Adds to the text of a part, which begins where its first piece comes. */
  readonly append: (kind: 'text' | 'reasoning' | 'refusal', key: string, text: string) => void
  /** Adds to a call; `input` is for arguments that came parsed, `inputText` for their text or a piece of it. */
  readonly call: (key: string, piece: CallPiece) => void
  readonly other: (kind: string, key: string) => void
  /** Parts with nothing in them are left out. */
  readonly parts: () => readonly ResponsePart[]
}

export interface CallPiece {
  readonly id?: string | undefined
  readonly toolName?: string | undefined
  readonly input?: unknown
  readonly inputText?: string | undefined
}

export function createPartList(): PartList {
  const open = new Map<string, OpenPart>()
  const part = (kind: ResponsePart['type'], key: string): OpenPart => {
    const name = `${kind} ${key}`
    const known = open.get(name) ?? { kind, text: '', id: '', toolName: '', input: undefined }
    open.set(name, known)
    return known
  }
  return {
    append(kind, key, text) {
      if (text !== '') part(kind, key).text += text
    },
    call(key, piece) {
      const call = part('call', key)
      if (call.id === '') call.id = piece.id ?? ''
      if (call.toolName === '') call.toolName = piece.toolName ?? ''
      if (piece.input !== undefined) call.input = piece.input
      call.text += piece.inputText ?? ''
    },
    other(kind, key) {
      part('other', key).text = kind
    },
    parts: () => [...open.values()].map((found) => finished(found)),
  }
}

function finished({ kind, text, id, toolName, input }: OpenPart): ResponsePart {
  switch (kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { type: kind, text }
    case 'call':
      return { type: kind, id, toolName, input: text === '' ? (input ?? {}) : (parsed(text) ?? text) }
    case 'other':
      return { type: kind, kind: text }
    default:
      return kind satisfies never
  }
}
