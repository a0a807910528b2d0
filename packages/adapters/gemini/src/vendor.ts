/**
 * The vendor's types with their enums as the plain strings that go over the wire. Only used to check what we build; they never show up
 * in exported types.
 */
export type Plain<Type> = Type extends string
  ? `${Type}`
  : Type extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : Type extends object
      ? { readonly [Name in keyof Type]: Plain<Type[Name]> }
      : Type
