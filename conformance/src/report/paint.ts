/** Colours of a terminal, or none. */
export interface Paint {
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly faint: (text: string) => string
  readonly strong: (text: string) => string
  readonly notable: (text: string) => string
}

export function paint(colours: boolean): Paint {
  const wrap =
    (code: number) =>
    (text: string): string =>
      colours ? `\u001B[${code}m${text}\u001B[0m` : text
  return { good: wrap(32), bad: wrap(31), faint: wrap(2), strong: wrap(1), notable: wrap(33) }
}
