import type { Scenario, ScriptedTurn, Subject } from '@steploop/conformance'
import type { SentRequest } from '@steploop/conformance/cli'
import { rehearse } from '@steploop/lab'
import type { Mode } from '@steploop/core'
import type { Play, PlayedText } from './scripted-weights.ts'

/** A play, and the subjects that it is for: those that ask otherwise have another one. */
export interface SubjectsPlay extends Play {
  readonly subjects: readonly Subject[]
}

/** The turns that weights can play are answers; what else a script holds is for a proxy, or for a key. */
export function unplayable({ script }: Scenario): string | undefined {
  for (const turn of script) {
    if (turn.type === 'failure' && turn.failure === 'bad-key') continue
    if (turn.type !== 'answer' && turn.type !== 'object') return `weights cannot play a ${turn.type}`
    if (turn.type === 'object') continue
    const odd = turn.parts.find(({ type }) => type === 'provider-call' || type === 'refusal')
    if (odd !== undefined) return `weights cannot play a ${odd.type}: it is made by the provider, not by the model`
  }
  return undefined
}

/**
 * What the model has to say for each conversation of a scenario: the subjects play it against the simulator, which shows what they will
 * ask. Subjects that ask alike share a play.
 */
export async function playsOf(
  scenario: Scenario,
  subjects: readonly Subject[],
  modes: readonly Mode[],
): Promise<readonly SubjectsPlay[]> {
  const plays: { subjects: Subject[]; due: Map<string, PlayedText> }[] = []
  for (const subject of subjects) {
    const due = await dueTexts(scenario, subject, modes)
    if (due === undefined) continue
    const known = plays.find((play) => agree(play.due, due))
    if (known === undefined) plays.push({ subjects: [subject], due })
    else {
      known.subjects.push(subject)
      for (const [print, text] of due) known.due.set(print, text)
    }
  }
  return plays.map((play) => ({ subjects: play.subjects, ...cued(play.due) }))
}

function agree(one: ReadonlyMap<string, PlayedText>, other: ReadonlyMap<string, PlayedText>): boolean {
  return [...other].every(([print, { text }]) => (one.get(print)?.text ?? text) === text)
}

/** `undefined` when two turns of the script are due after conversations that look alike. */
async function dueTexts(
  scenario: Scenario,
  subject: Subject,
  modes: readonly Mode[],
): Promise<Map<string, PlayedText> | undefined> {
  const due = new Map<string, PlayedText>()
  for (const mode of modes) {
    const requests = await rehearse({ subject, scenario, mode })
    if (requests === undefined) return undefined
    for (const [index, turn] of scenario.script.entries()) {
      const request = requests[index]
      const played = request && playedText(turn, request)
      if (request === undefined || played === undefined) continue
      const print = conversationPrint(request)
      if ((due.get(print)?.text ?? played.text) !== played.text) return undefined
      due.set(print, played)
    }
  }
  return due
}

function cued(due: ReadonlyMap<string, PlayedText>): Play {
  const texts = [...new Set([...due.values()].map(({ text }) => text))]
  const answers = texts.map((text) => {
    return { text, isEndless: [...due.values()].some((one) => one.text === text && one.isEndless) }
  })
  const cues = [...due].map(([print, { text }]) => ({ print, answer: texts.indexOf(text) }))
  return { answers, cues }
}

/**
 * Who spoke, and what the user said, in the words of `cueEnding`: `U[...]` a user, `T` a result, `A` the model, however many messages it
 * takes.
 */
function conversationPrint({ view }: SentRequest): string {
  let print = ''
  let isAssistant = false
  for (const item of view?.items ?? []) {
    if (item.type === 'other') continue
    if (item.type === 'user') print += `U[${item.text}]`
    else if (item.type === 'result') print += 'T'
    else if (!isAssistant) print += 'A'
    isAssistant = item.type === 'text' || item.type === 'call'
  }
  return print
}

/** What the model writes, in the format of the chat template. */
function playedText(turn: ScriptedTurn, { view }: SentRequest): PlayedText | undefined {
  if (turn.type === 'object') {
    const asCall = view?.tools.some(({ name }) => name === turn.toolName) ?? false
    return {
      text: asCall ? callText(turn.toolName, JSON.stringify(turn.input)) : JSON.stringify(turn.input),
      isEndless: false,
    }
  }
  if (turn.type !== 'answer') return undefined
  let said = ''
  const calls: string[] = []
  for (const part of turn.parts) {
    if (part.type === 'reasoning') said += `<think>\n${part.text}\n</think>\n\n`
    else if (part.type === 'text') said += part.text
    else if (part.type === 'call') {
      // Where a provider refuses a name, the tool has another one on the wire.
      const declared = view?.tools.find(
        ({ description }) => description !== undefined && description === part.described,
      )
      calls.push(callText(declared?.name ?? part.toolName, part.inputText ?? JSON.stringify(part.input)))
    }
  }
  const gap = said !== '' && calls.length > 0 && !said.endsWith('\n') ? '\n' : ''
  return { text: `${said}${gap}${calls.join('\n')}`, isEndless: turn.finish === 'length' }
}

function callText(name: string, input: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${input}}\n</tool_call>`
}
