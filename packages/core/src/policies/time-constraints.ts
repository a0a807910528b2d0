/** When a search should look, by the words of a text; days as `YYYY-MM-DD` in UTC, both included. */
export interface TimeConstraints {
  /** The words themselves. */
  readonly time_hint: string
  readonly after?: string | undefined
  readonly before?: string | undefined
}

type Range = Omit<TimeConstraints, 'time_hint'>

/**
 * Finds what an English text says about the past: `today`, `yesterday`, `this week`, `last 3 months`, `two days ago`, `since May 2024`,
 * `in 2023`, `before 2024-05-06`. The first words that are found count, with those of the other side (`from ... until ...`). `undefined` when
 * the text says nothing. For other languages and finer words use a library for dates.
 */
export function parseTimeConstraints(text: string, now: Date = new Date()): TimeConstraints | undefined {
  return near(text, now) ?? back(text, now) ?? dated(text)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** Day by the calendar, so that "last month" ends in the month before. */
function ago(now: Date, count: number, unit: string): string {
  const date = new Date(now)
  if (unit === 'hour') date.setUTCHours(date.getUTCHours() - count)
  if (unit === 'day') date.setUTCDate(date.getUTCDate() - count)
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - 7 * count)
  if (unit === 'month') date.setUTCMonth(date.getUTCMonth() - count)
  if (unit === 'year') date.setUTCFullYear(date.getUTCFullYear() - count)
  return dayOf(date)
}

function near(text: string, now: Date): TimeConstraints | undefined {
  const hint = /\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|week|month|year))\b/i.exec(text)?.[0]
  if (hint === undefined) return undefined
  const today = dayOf(now)
  const words = hint.toLowerCase()
  if (words === 'yesterday') return { time_hint: hint, after: ago(now, 1, 'day'), before: ago(now, 1, 'day') }
  if (words === 'this week') return { time_hint: hint, after: ago(now, (now.getUTCDay() + 6) % 7, 'day') }
  if (words === 'this month') return { time_hint: hint, after: `${today.slice(0, 7)}-01` }
  if (words === 'this year') return { time_hint: hint, after: `${today.slice(0, 4)}-01-01` }
  return { time_hint: hint, after: today }
}

const numbers: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  few: 3,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
}

function countOf(word = 'one'): number {
  return numbers[word.toLowerCase()] ?? Number(word)
}

const count = `(\\d{1,3}|${Object.keys(numbers).join('|')})`
const unit = '(hour|day|week|month|year)s?'
const backwards = new RegExp(`\\b(?:last|past|previous) (?:${count} )?${unit}\\b|\\b${count} ${unit} ago\\b`, 'i')

function back(text: string, now: Date): TimeConstraints | undefined {
  const found = backwards.exec(text)
  if (found === null) return undefined
  const [hint, last, lastUnit, before, beforeUnit] = found
  return { time_hint: hint, after: ago(now, countOf(last ?? before), String(lastUnit ?? beforeUnit).toLowerCase()) }
}

const months: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const year = '((?:19|20)\\d\\d)'
const date = `(?:${year}-(\\d\\d)-(\\d\\d)|(?:(\\d{1,2})(?:st|nd|rd|th)? )?${month}(?: (\\d{1,2})(?:st|nd|rd|th)?)?,? ${year}|${year})`
const dates = new RegExp(`\\b(since|after|from|before|until|till|in|during|on|of)? ?\\b${date}\\b`, 'gi')

function dated(text: string): TimeConstraints | undefined {
  const hints: string[] = []
  const ranges: Range[] = []
  for (const found of text.matchAll(dates)) {
    const named = namedRange(found)
    if (named === undefined) continue
    hints.push(found[0].trim())
    ranges.push(named)
  }
  if (hints.length === 0) return undefined
  return {
    time_hint: hints.join(' '),
    after: ranges.find(({ after }) => after !== undefined)?.after,
    before: ranges.find(({ before }) => before !== undefined)?.before,
  }
}

/** What one date, and the word before it, say. A number of four digits alone may be anything. */
function namedRange([, given, isoYear, isoMonth, isoDay, early, name, late, ofMonth, alone]: RegExpMatchArray):
  | Range
  | undefined {
  const word = given?.toLowerCase()
  if (alone !== undefined && word === undefined) return undefined
  const inYear = isoYear ?? ofMonth ?? alone
  const inMonth = isoMonth ?? (name && pad(months.indexOf(name.slice(0, 3).toLowerCase()) + 1))
  const onDay = isoDay ?? pad(early ?? late)
  const first = `${inYear}-${inMonth ?? '01'}-${onDay ?? '01'}`
  const last = `${inYear}-${inMonth ?? '12'}-${onDay ?? lastDay(Number(inYear), inMonth)}`
  if (word === 'since' || word === 'after' || word === 'from') return { after: first }
  if (word === 'before' || word === 'until' || word === 'till') return { before: word === 'before' ? first : last }
  return { after: first, before: last }
}

function pad(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value).padStart(2, '0')
}

function lastDay(ofYear: number, inMonth: string | undefined): string {
  return inMonth === undefined ? '31' : String(new Date(Date.UTC(ofYear, Number(inMonth), 0)).getUTCDate())
}
