/** On a terminal one line that is written over; nothing elsewhere. */
export function showFileProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(done === total ? '\r\u001B[K' : `\r${done} of ${total} files`)
}
