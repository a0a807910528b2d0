import { isObject, jsonOf, objectOf, textOf, type Frame, type WireFormat } from '@steploop/core/adapter'

/**
 * At xAI a `custom_tool_call` is a step of its own search that it has taken already (https://docs.x.ai/docs/guides/tools/overview), and no
 * call for the caller as at OpenAI. It is read, and sent back, in the form that xAI gave these steps at first: `x_search_call`.
 */
export function withServerTools(wire: WireFormat): WireFormat {
  return {
    ...wire,
    decode: (json, request, out) => wire.decode(readable(json), request, out),
    createDecoder(request) {
      const decoder = wire.createDecoder(request)
      return {
        ...decoder,
        push(frame, out) {
          const read = frame.data.includes('custom_tool_call') ? readableFrame(frame) : frame
          if (read !== undefined) decoder.push(read, out)
        },
      }
    },
  }
}

/** The pieces of the input are left out: the finished item has it whole. */
function readableFrame(frame: Frame): Frame | undefined {
  const event = jsonOf(frame.data)
  if (!isObject(event)) return frame
  if (textOf(event['type'])?.startsWith('response.custom_tool_call')) return undefined
  const { item, response } = event
  return { ...frame, data: JSON.stringify({ ...event, item: readableItem(item), response: readable(response) }) }
}

function readable(response: unknown): unknown {
  const { output } = objectOf(response)
  return Array.isArray(output) ? { ...objectOf(response), output: output.map(readableItem) } : response
}

function readableItem(item: unknown): unknown {
  if (!isObject(item) || item['type'] !== 'custom_tool_call') return item
  const { input, ...rest } = item
  return { ...rest, type: 'x_search_call', arguments: input }
}
