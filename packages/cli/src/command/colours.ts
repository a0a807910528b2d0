import { styleText } from 'node:util'

/** Whether stdout shows colours: a terminal that has them, and nobody said NO_COLOR. */
export function hasColours(): boolean {
  return process.stdout.isTTY && process.stdout.hasColors()
}

/** Lines that begin with ✓, ✗ or –, each in the colour of its sign; the rest as it is. */
export function signsInColour(text: string): string {
  if (!hasColours()) return text
  const styles = { '✓': 'green', '✗': 'red', '–': 'dim' } as const
  return text.replaceAll(/^([✓✗–]).*$/gm, (line, sign: keyof typeof styles) =>
    styleText(styles[sign], line, { validateStream: false }),
  )
}
