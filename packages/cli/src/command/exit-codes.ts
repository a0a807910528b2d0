/** Exit codes of every command. */
export const exitCodes = {
  /** Everything is as expected. */
  expected: 0,
  /** The command ran and found something. */
  finding: 1,
  /** Wrong options, or input that cannot be read. */
  usage: 2,
  /** The harness itself failed: a bug of this project. */
  harness: 70,
  /** Ctrl-C: 128 and the number of SIGINT, as shells do it. */
  interrupted: 130,
} as const
