/** Bytes as ASCII, and every other one as `\x00`: for what is cut inside of characters, and for binary framings. */
export function escapedBytes(bytes: Uint8Array): string {
  return [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
}
