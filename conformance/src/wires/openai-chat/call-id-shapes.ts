import { unless } from '../../check.ts'
import { asks } from '../../scenario-parts/asks.ts'
import type { Scenario } from '../../scenario.ts'
import { answer, say } from '../../script-parts.ts'

/** Shapes of ids as they were seen at ten providers (docs/wire.md#shapes-of-call-ids). */
const shapes = [
  'call_00_Zb1',
  'gSIMJiOkT',
  'fc_0e5dfaa1-d6dd-17c2-0069-57e6df024481',
  'chatcmpl-tool-6957e6df02448190',
  'toolu_vrtx_01A',
  'toolu_bdrk_01A',
  'tool_lookup_order_x9',
  'b8847f144',
  '79382389',
  'functions.lookup_order:0',
] as const

export const callIdShapes: Scenario = {
  id: 'call-id-shapes',
  title: 'Ids of calls in every shape that was seen, in one turn: each goes back as it came.',
  appliesTo: { requires: ['tools', 'parallel'], wires: ['openai-chat/any-server'] },
  script: [
    answer(
      ...shapes.map((id, index) => ({
        type: 'call' as const,
        toolName: 'lookup_order',
        input: { id: `ZH-${index}` },
        id,
      })),
    ),
    answer(say('Alle zehn sind verschickt 📦, nach Zürich und 東京.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
${shapes.map((_, index) => `        call lookup_order {"id":"ZH-${index}"} by loop`).join('\n')}
${shapes.map(() => '        result lookup_order json').join('\n')}
      step 2 stop
        text
      completed answer
  `,
  run: asks('Wo sind die zehn Sendungen?', ['lookup_order']),
  checks: [
    {
      id: 'ids-as-they-came',
      sentence: 'The second body has each id as the provider gave it, on the call and on its result.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[1]?.view?.items ?? []
        return (['call', 'result'] as const).flatMap((type) => {
          const ids = items.flatMap((item) => (item.type === type ? [item.id] : []))
          const same = ids.join() === shapes.join()
          return unless(same, `the ids of each ${type} are ${ids.join(', ')}`, 'run 1, request 2')
        })
      },
    },
  ],
}
