import { createTurnCollector, type Adapter, type AssistantMessage, type Message } from '@steploop/core/adapter'
import { isSimulated } from '../play/own-format.ts'
import type { ScriptedPart } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'
import { changedModel } from './instance.ts'
import { sealsOf } from './owner-of.ts'
import type { StressCase } from './stressor.ts'
import { told } from './told-by-simulator.ts'
import { ask, can, lookup, nowhere, requestForm, type RequestForm } from './requests/request-form.ts'

/** What goes back with a thought of the last turn goes back with those of a run before it, and whatever version of the model is asked. */
export async function sealForms(
  stressCase: StressCase,
  { provider, model, capabilities }: Adapter,
  bodyOf: (form: RequestForm) => Promise<string | undefined>,
): Promise<readonly RequestForm[]> {
  const { tools, reasoningReplay } = capabilities
  if (!isSimulated(stressCase.subject) || !can(tools) || !can(reasoningReplay)) return []
  const [turns, marks]: [Message[], string[]] = [[], []]
  const forms: RequestForm[] = []
  const paths = new Set<string>()
  for (const turn of [0, 1]) {
    const thought = (number: number): ScriptedPart => ({ type: 'reasoning', text: `Gedanke ${turn}.${number}.` })
    const between = turn === 0 ? [] : [say('ok'), thought(2)]
    const script = answer(thought(1), ...between, call('lookup', { sought: 'ok' }))
    const collector = createTurnCollector({ provider, model })
    collector.push((await told(stressCase, script, { turn, mode: 'stream' })).events)
    const { message } = collector.turn()
    const all = message.content.flatMap((part) => sealsOf(part))
    const body = turn === 0 ? await bodyOf(sealed('alone', answered(message))) : undefined
    for (const [path] of all.filter(([, seal]) => body?.includes(seal))) paths.add(path)
    const seals = all.flatMap(([path, seal]) => (paths.has(path) ? [seal] : []))
    if (turn === 0) forms.push(sealed('thought-of-another-version', answered(ofAnother(message)), seals))
    turns.push(...answered(message))
    marks.push(...seals)
  }
  return [...forms, sealed('thoughts-of-a-run', turns, marks)]
}

function sealed(id: string, history: readonly Message[], marks: readonly string[] = []): RequestForm {
  const settings = { reasoning: 'low' } as const
  // No warning makes up for it.
  const about = nowhere
  return requestForm(id, [ask, ...history], { tools: [lookup], settings, marks, isOwn: true, about })
}

/** The turn, and the results of its calls. */
function answered(message: AssistantMessage): readonly Message[] {
  const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  return [
    message,
    {
      role: 'tool',
      content: calls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: 'ok' },
      })),
    },
  ]
}

/** A later version of the model has said it: what other families of models have made is for the adapter to judge. */
function ofAnother(message: AssistantMessage): AssistantMessage {
  const model = changedModel(message.model ?? '')
  const content = message.content.map((part) =>
    part.providerMetadata === undefined ? part : { ...part, providerMetadata: { ...part.providerMetadata, model } },
  )
  return { ...message, model, content }
}
