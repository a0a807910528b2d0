const plain: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '−': '-',
  '…': '...',
}

/** The text as recorders keep it that bring typographic characters into one form: NFKC, straight quotes, plain dashes. */
export function plainText(text: string): string {
  return text.normalize('NFKC').replaceAll(/[‘’‚“”„–—‐‑−…]/g, (character) => plain[character] ?? character)
}
