/** CRC-32 of IEEE 802.3, as the frames bear it. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ -1) >>> 0
}

const table = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1
  return value
})
