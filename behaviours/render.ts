import type { Entry, Judgement } from './judge.ts'
import type { Proof } from './prove.ts'

/** Id, behaviour and the tests or the reason, then what is wrong. */
export function renderJudgement({ entries, problems }: Judgement): string {
  const reasons = entries.filter(({ reason }) => reason !== undefined).length
  const total = `${entries.length} behaviours: ${entries.length - reasons} tested, ${reasons} listed with a reason.`
  return [...entries.map(renderEntry), '', total, ...renderProblems(problems)].join('\n')
}

function renderEntry({ id, behaviour, tests, reason }: Entry): string {
  const lines = tests.map(({ file, title }) => `     ${file}: ${title}`)
  return [`${id}  ${behaviour}`, ...lines, ...(reason === undefined ? [] : [`     not tested: ${reason}`])].join('\n')
}

/** What was switched off, and which tests noticed it. */
export function renderProof({ id, switchedOff, red, problem }: Proof): string {
  const { file, find, replace } = switchedOff
  const change = `     ${file}: ${oneLine(find)}  =>  ${oneLine(replace) || 'nothing'}`
  const noticed = problem === undefined ? red.map((title) => `     red: ${title}`) : [`     not proven: ${problem}`]
  return [`${id}  ${problem === undefined ? 'proven' : 'NOT PROVEN'}`, change, ...noticed].join('\n')
}

export function renderProofs(proofs: readonly Proof[]): string {
  const open = proofs.filter(({ problem }) => problem !== undefined)
  const total = `${proofs.length - open.length} of ${proofs.length} behaviours are proven.`
  return ['', total, ...renderProblems(open.map(({ id, problem }) => `${id}: ${problem}`))].join('\n')
}

function renderProblems(problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? [] : ['', ...problems.map((problem) => `problem: ${problem}`)]
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
