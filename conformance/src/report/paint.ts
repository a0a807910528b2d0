import { styleText } from 'node:util'

/** Colours of a terminal, or none. */
export interface Paint {
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly faint: (text: string) => string
  readonly strong: (text: string) => string
  readonly notable: (text: string) => string
}

/** @param colours whether to use them: the caller knows where the text goes */
export function paint(colours: boolean | undefined): Paint {
  const wrap =
    (style: 'green' | 'red' | 'dim' | 'bold' | 'yellow') =>
    (text: string): string =>
      colours === true ? styleText(style, text, { validateStream: false }) : text
  return { good: wrap('green'), bad: wrap('red'), faint: wrap('dim'), strong: wrap('bold'), notable: wrap('yellow') }
}
