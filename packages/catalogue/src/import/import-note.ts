/**
 * What an import says of the file that it made: bounds that are ours, what is left out, and what only a person can
 * check. An import that is refused has said nothing and made nothing.
 */

export interface ImportNote {
  /** `bounded`: the provider states none, so one is set here. `check`: true as far as the document says. */
  readonly topic: "bounded" | "left-out" | "check"
  /** Of the file. */
  readonly pointer: string
  /** They follow the pointer. */
  readonly words: string
}

export type Note = (note: ImportNote) => void

/** A part of a document that no model can have. It ends that part alone, unless every request needs it. */
export class Untranslatable extends Error {
  override readonly name = "Untranslatable"
  /** Of the part within; undefined if it is the part that was asked for. */
  readonly pointer: string | undefined

  constructor(reason: string, pointer?: string) {
    super(reason)
    this.pointer = pointer
  }
}

/** It is too much as a whole: no part of it is left out for that. */
export class TooLarge extends Error {
  override readonly name = "TooLarge"
}

/** A name out of a document, short enough for a line. */
export function toShortName(name: string): string {
  return name.length <= 100 ? name : `${name.slice(0, 99)}…`
}
