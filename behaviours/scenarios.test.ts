import { runConformance } from '@steploop/conformance'
import { expect, test, type TestOptions } from 'vitest'
import config from '../steploop.config.ts'

type Row = readonly [title: string, options: TestOptions, scenarios: string, subjects?: string, stressor?: string]

const formats = 'openai-compatible openai anthropic'

/** Behaviours that scenarios of the conformance suite hold: they are played on the conversations of `cassettes/`, streamed and not. */
const rows: readonly Row[] = [
  ['an adapter makes one request per turn and hands back its calls', { tags: ['L01'] }, 'single-call'],
  ['a run has the same steps, streamed or not', { tags: ['L02'] }, 'three-turn tool-throws'],
  ['a turn becomes a step of a run', { tags: ['L03'] }, 'single-call'],
  ['a run ends without calls, whatever the finish reason', { tags: ['L05'] }, 'unheard-of-end single-call'],
  ['a run without tools is one plain request', { tags: ['L06'] }, 'no-tools'],
  ['settings, headers and tools are in every request', { tags: ['L07'] }, 'instructions-and-settings'],
  ['options of the provider are in every request', { tags: ['L08'] }, 'provider-options'],
  ['an empty answer ends a run, or is asked for again', { tags: ['L09'] }, 'empty-answer'],
  ['the answer of a run is the text of its last turn', { tags: ['L11'] }, 'text-then-call'],

  ['a run begins with the output of a tool alone', { tags: ['L14'] }, 'tool-output-only'],
  ['text beside a call stays in the history', { tags: ['L15'] }, 'text-then-call'],
  ['the message of the model stands before the results of its calls', { tags: ['L16'] }, 'parallel-calls'],
  ['results belong to calls by id', { tags: ['L17'] }, 'parallel-calls parallel-same-tool'],
  ['a tool that throws is told as JSON, or ends the run', { tags: ['D03', 'D05'] }, 'tool-throws'],
  ['a call of an unknown tool is told the names of the known ones', { tags: ['D04', 'D10'] }, 'unknown-tool'],
  ['what the provider ran goes back as it was', { tags: ['D13'] }, 'provider-tool', 'openai anthropic'],
  ['a run writes into nothing that it was given', { tags: ['H04'] }, 'branch'],
  ['providers that keep nothing get the whole history', { tags: ['H06'] }, 'three-turn', 'anthropic'],
  [
    'a streamed response is continued by its id',
    { tags: ['H07', 'H08'] },
    'continuation continuation-edited',
    'openai',
  ],
  [
    'signed reasoning goes back as it came, also when it was stored',
    { tags: ['H09', 'H10'] },
    'reasoning-replay',
    'anthropic',
    'resume',
  ],
  ['calls count though the provider says `stop`', { tags: ['S07'] }, 'single-call', 'ollama gemini'],
  ['an error inside a stream is an error', { tags: ['S10'] }, 'error-mid-stream', 'openrouter openai-compatible'],
  ['events come in one order', { tags: ['S08', 'D18'] }, 'tool-throws'],
  ['a text comes in pieces for those who stream, and whole for others', { tags: ['S12'] }, 'text-only'],
  ['approvals are given per call, edited, or for all', { tags: ['K04', 'E06'] }, 'approval-edited approve-all'],
  [
    'the usage of a run is the sum of its turns, each counted once',
    { tags: ['U01', 'U02'] },
    'cached-usage reasoning-replay',
    'openai anthropic',
  ],
  ['a step names the model that answered, and keeps citations', { tags: ['U04'] }, 'citations', 'anthropic'],
  ['another provider takes over, with the whole conversation', { tags: ['E05'] }, 'fallback foreign-history'],
  ['images and files go in, also as results', { tags: ['E07'] }, 'image-input file-input image-in-result', 'anthropic'],
  ['a refusal comes out', { tags: ['E07'] }, 'refusal', 'openai-compatible openai'],
  ['the prompt cache is switched in every request', { tags: ['E12'] }, 'prompt-cache', 'anthropic'],
  ['arguments come in pieces', { tags: ['E14'] }, 'nested-arguments'],
]

for (const [title, options, scenarios, subjects = formats, stressor] of rows) {
  test(`${title} (${scenarios})`, options, async () => {
    const only = subjects.split(' ')
    const scenario = scenarios.split(' ')
    const stress = stressor === undefined ? [] : [stressor]
    const { cases, problems } = await runConformance(config.subjects, { only, scenario, stress, frontEnds: ['fetch'] })
    const passed = cases.filter(({ verdict }) => verdict === 'pass').map(({ address }) => address)
    const failed = cases.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'not-applicable')
    expect([problems, failed]).toEqual([[], []])
    const wanted = only.flatMap((subject) => scenario.map((id) => `${subject}/${id}/`))
    expect(wanted.filter((begin) => !passed.some((address) => address.startsWith(begin)))).toEqual([])
  })
}
