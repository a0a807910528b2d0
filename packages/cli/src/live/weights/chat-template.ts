import { beginToken, endToken, startToken } from './byte-tokens.ts'

/**
 * A chat template in the format of Hermes 2 Pro (https://github.com/NousResearch/Hermes-Function-Calling), from which llama.cpp learns how
 * this model writes calls and thoughts. What the prompt says is all the same to scripted weights; `ending` decides on what they answer.
 * `gap` stands between a call and its tags.
 */
export function chatTemplate(ending = '', gap: '\\n' | '' = '\\n'): string {
  return `{%- if tools %}{{- '${startToken}system\\n' }}
{{- "You may call functions. Their signatures:\\n<tools>" }}
{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\\n</tools>\\nReturn each call as JSON within tags:\\n<tool_call>${gap}{"name": <function-name>, "arguments": <args-json-object>}${gap}</tool_call>${endToken}\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}{{- '${startToken}assistant\\n' }}
{%- if message.reasoning_content %}{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for call in message.tool_calls or [] %}
{%- if call.function %}{%- set call = call.function %}{%- endif %}
{%- if message.content or not loop.first %}{{- '\\n' }}{%- endif %}
{{- '<tool_call>${gap}{"name": "' + call.name + '", "arguments": ' }}
{%- if call.arguments is string %}{{- call.arguments }}{%- else %}{{- call.arguments | tojson }}{%- endif %}{{- '}${gap}</tool_call>' }}
{%- endfor %}{{- '${endToken}\\n' }}
{%- elif message.role == 'tool' %}
{%- if loop.previtem is undefined or loop.previtem.role != 'tool' %}{{- '${startToken}user' }}{%- endif %}
{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{%- if loop.last or loop.nextitem.role != 'tool' %}{{- '${endToken}\\n' }}{%- endif %}
{%- else %}{{- '${startToken}' + message.role + '\\n' }}{{- message.content }}{{- '${endToken}\\n' }}{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '${startToken}assistant\\n' }}${ending}{%- endif %}
`
}

/** One answer of a play, and the conversations in which it is due. */
export interface Cue {
  /** See `conversationPrint`. */
  readonly print: string
  /** Position among the answers. */
  readonly answer: number
}

/** The token with which the prompt of an answer ends. */
export function cueToken(answer: number): string {
  return `<|answer-${answer}|>`
}

/**
 * Says in Jinja what \`conversationPrint\` says of a request: who spoke, and what the user said. Ends the prompt with the token of the answer
 * that is due.
 */
export function cueEnding(cues: readonly Cue[]): string {
  const dispatch = cues.map(({ print, answer }) => {
    return `{%- if now.print == ${jinjaText(print)} %}{{- '${cueToken(answer)}' }}{%- endif %}`
  })
  return `{%- set now = namespace(print='', before='') %}
{%- for message in messages %}
{%- if message.role == 'user' %}{%- set now.print = now.print + 'U[' %}
{%- if message.content is string %}{%- set now.print = now.print + message.content %}
{%- else %}{%- for part in message.content %}{%- if part.type == 'text' %}{%- set now.print = now.print + part.text %}{%- endif %}{%- endfor %}{%- endif %}
{%- set now.print = now.print + ']' %}
{%- elif message.role == 'tool' %}{%- set now.print = now.print + 'T' %}
{%- elif message.role == 'assistant' and now.before != 'assistant' %}{%- set now.print = now.print + 'A' %}{%- endif %}
{%- set now.before = message.role %}
{%- endfor %}
${dispatch.join('\n')}`
}

function jinjaText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

export const controlTokens = [beginToken, startToken, endToken] as const
