/** One text of one source file that switches off the decision behind a behaviour. */
export interface Switch {
  /** From the repository's root. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** Something that the loop is asked to do. Its id stands at the beginning of the title of the test that holds it. */
export interface HeldBehaviour {
  readonly type: 'held'
  readonly id: string
  readonly behaviour: string
  /** With it, a test that names the id has to fail. */
  readonly switchedOff: Switch
}

/** Something that nobody tests here, with the reason: not wanted, or which package brings it. */
export interface ListedBehaviour {
  readonly type: 'listed'
  readonly id: string
  readonly behaviour: string
  readonly reason: string
}

export type Behaviour = HeldBehaviour | ListedBehaviour

/** `off`: the file, the text that is there, and the text that switches the behaviour off. */
export function held(id: string, behaviour: string, ...off: readonly [string, string, string]): HeldBehaviour {
  const [file, find, replace] = off
  return { type: 'held', id, behaviour, switchedOff: { file, find, replace } }
}

export function listed(id: string, behaviour: string, reason: string): ListedBehaviour {
  return { type: 'listed', id, behaviour, reason }
}
