import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { saysAll } from '../scenario-parts/says-all.ts'
import { oneCall } from '../scenario-parts/one-call.ts'

const callBeforeResult: Check = {
  id: 'call-before-result',
  sentence: 'In the second body the call stands before its result.',
  judge: ({ runs }) => {
    const items = runs[0]?.requests[1]?.view?.items
    if (items === undefined) return []
    const at = items.findIndex((item) => item.type === 'call')
    const resultAt = items.findIndex((item) => item.type === 'result')
    if (resultAt === -1) return [{ message: 'the second body has no result of the call', where: 'request 2' }]
    const covered = runs[0]?.requests[1]?.view?.continuation !== undefined
    if (covered || (at !== -1 && at < resultAt)) return []
    const message = at === -1 ? 'the second body has a result but not its call' : 'the result stands before its call'
    return [{ message, where: `request 2, ${items[resultAt]?.path ?? ''}` }]
  },
}

const said = 'In Zürich sind es 7 °C und die Sonne scheint ☀️.'

export const singleCall: Scenario = {
  id: 'single-call',
  title: 'One call, one result, one answer.',
  appliesTo: { requires: ['tools'] },
  ...oneCall(said),
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wie ist das Wetter in Zürich?', { tools: { get_weather } })
  },
  checks: [callBeforeResult, saysAll(said)],
}
