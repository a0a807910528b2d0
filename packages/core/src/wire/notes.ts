/** Constructor that makes the object that it is given, so that a class on top of it adds its private fields to that one. */
function given(object: object): object {
  return object
}

/** Room in an object for one note. It is hidden: no key, no copy and no JSON has it. */
class Room extends (given as unknown as new (object: object) => object) {
  /** Whose the note is; `undefined`: the room is free. */
  #owner: object | undefined
  #note: unknown

  static isIn(object: object): boolean {
    return #owner in object
  }

  /** The note of this owner, `undefined` where the room is free. Without room, or with another's note, it is in `others`. */
  static read<Key extends object>(object: Key, owner: object, others: WeakMap<Key, unknown>): unknown {
    if (!(#owner in object)) return others.get(object)
    if (object.#owner === owner) return object.#note
    return object.#owner === undefined ? undefined : others.get(object)
  }

  /** False: there is no room, or it is taken. */
  static write(object: object, owner: object, note: unknown): boolean {
    if (!(#owner in object) || (object.#owner !== undefined && object.#owner !== owner)) return false
    object.#owner = owner
    object.#note = note
    return true
  }
}

/** Makes room in an object that can still be extended; a frozen one gets none. Gives the same object. */
export function makeRoom<Made extends object>(object: Made): Made {
  return Room.isIn(object) || !Object.isExtensible(object) ? object : (new Room(object) as object as Made)
}

export function hasRoom(object: object): boolean {
  return Room.isIn(object)
}

/** What is kept with objects as long as they live. */
export interface Notes<Key extends object, Note> {
  get(key: Key): Note | undefined
  set(key: Key, note: Note): void
}

/**
 * A `WeakMap` that writes into the objects themselves where they have room. An entry of a `WeakMap` takes ten times as long as a field, and
 * the garbage collector looks at all of them each time: a turn with four of them was slower by a tenth.
 */
export function createNotes<Key extends object, Note>(): Notes<Key, Note> {
  const owner = {}
  const others = new WeakMap<Key, Note>()
  return {
    get: (key) => Room.read(key, owner, others) as Note | undefined,
    set(key, note) {
      if (!Room.write(key, owner, note)) others.set(key, note)
    },
  }
}
