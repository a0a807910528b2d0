import { createTurnCollector, type Adapter, type AssistantMessage, type Message } from '@steploop/core/adapter'
import { isSimulated } from '../play/own-format.ts'
import { answer, call } from '../script-parts.ts'
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
  for (const turn of [0, 1]) {
    const script = answer({ type: 'reasoning', text: `Gedanke ${turn}.` }, call('lookup', { sought: 'ok' }))
    const collector = createTurnCollector({ provider, model })
    collector.push((await told(stressCase, script, { turn, mode: 'stream' })).events)
    const { message } = collector.turn()
    const body = await bodyOf(sealed('alone', answered(message)))
    const seals = message.content.flatMap((part) => sealsOf(part)).filter((seal) => body?.includes(seal))
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
