const toolName = /^[a-zA-Z0-9_-]{1,128}$/
const callId = /^[a-zA-Z0-9_-]+$/

/** The tool's name as the API takes it: `^[a-zA-Z0-9_-]{1,128}$`. A changed name ends in a hash, so that two names stay apart. */
export function wireToolName(name: string): string {
  return toolName.test(name) ? name : `${clean(name).slice(0, 119)}_${hash(name)}`
}

/** An id from elsewhere as the API takes it: `^[a-zA-Z0-9_-]+$`. */
export function wireCallId(id: string): string {
  return callId.test(id) ? id : `${clean(id)}_${hash(id)}`
}

function clean(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** FNV-1a, 32 bits, as eight hexadecimal digits. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return (value >>> 0).toString(16).padStart(8, '0')
}
