import type { PrepareStepContext, StepEdit, StepLoopOptions } from '../options/loop-options.ts'
import type { AssistantPart, Message, UserMessage } from '../contract/messages.ts'
import { isObject } from '../wire/json.ts'
import type { AnyTool, FunctionTool, ToolSet } from '../tools/tool.ts'
import { withoutUndefined } from '../wire/without-undefined.ts'
import type { Hook } from '../options/loop-hooks.ts'
import { checkMiddleware } from '../options/check-options.ts'
import { makeMiddleware, nestMiddleware } from '../options/make-middleware.ts'
import type { MiddlewareOption } from '../options/middleware.ts'

/** Adds a policy's edits to those of the application, which win. */
export function addPrepareStep(
  options: StepLoopOptions,
  policy: (context: PrepareStepContext) => StepEdit | undefined,
): StepLoopOptions {
  const { prepareStep } = options
  return {
    ...options,
    prepareStep: async (context) => ({
      ...policy(context),
      ...withoutUndefined(await prepareStep?.(context)),
    }),
  }
}

/** Puts a policy's middleware inside of that of the application and of the policies before it. */
export function addMiddleware(options: StepLoopOptions, policy: MiddlewareOption): StepLoopOptions {
  const { middleware: earlier } = options
  if (earlier === undefined) return { ...options, middleware: policy }
  if (typeof earlier !== 'function') checkMiddleware(earlier)
  return { ...options, middleware: () => nestMiddleware(makeMiddleware(earlier), makeMiddleware(policy)) }
}

/** Asks the application's hook first; the policy's has a say when that one lets the run go on as it is. */
export function addHook(
  options: StepLoopOptions,
  name: 'onStepStart' | 'onResponse' | 'onToolExecuted' | 'onStepEnd',
  policy: Hook,
): StepLoopOptions {
  const earlier = options[name]
  const hook: Hook = async (context) => {
    const control = await earlier?.(context)
    const silent = control === undefined || (control.type === 'continue' && control.messages === undefined)
    return silent ? policy(context) : control
  }
  return { ...options, [name]: hook }
}

const origins = new WeakMap<object, FunctionTool<never>>()

/** The tool as the application declared it, whatever policies have made of it. */
export function originOf(tool: FunctionTool<never>): FunctionTool<never> {
  return origins.get(tool) ?? tool
}

/** Replaces the function tools that run; the rest stays as it is. */
export function mapTools(
  options: StepLoopOptions,
  change: (tool: FunctionTool<never>, name: string) => FunctionTool<never>,
): StepLoopOptions {
  // What are no tools is refused with the other options.
  if (!isObject(options.tools)) return options
  const tools = Object.entries(options.tools).map(([name, tool]): [string, AnyTool] => {
    if (tool.type !== 'function' || tool.execute === undefined) return [name, tool]
    const changed = change(tool, name)
    if (changed !== tool) origins.set(changed, originOf(tool))
    return [name, changed]
  })
  // Not by assignment: a tool may be named like a member of every object.
  return { ...options, tools: Object.fromEntries(tools) satisfies ToolSet }
}

/** True for the user's own words; what the loop or a policy says to the model is `synthetic`. */
function isOfUser(message: Message): message is UserMessage {
  return message.role === 'user' && message.synthetic !== true
}

/** What came after the last words of the user. */
export function sinceUser(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(isOfUser) + 1)
}

/** The text of the user's last message, `''` when there is none. */
export function lastPrompt(messages: readonly Message[]): string {
  const message = messages.findLast(isOfUser)
  if (message === undefined) return ''
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The conversation as a provider gets it: with the system prompt. */
export function withInstructions(messages: readonly Message[], instructions: string | undefined): readonly Message[] {
  return instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages]
}

/** A part that can be read, or used. */
export function isAnswer(part: AssistantPart): boolean {
  return part.type === 'file' || ((part.type === 'text' || part.type === 'refusal') && part.text !== '')
}
