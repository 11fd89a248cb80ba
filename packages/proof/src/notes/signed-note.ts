/**
 * Signed notes as C2SP writes them: a text that ends with a newline, an empty line, and signature lines of the form
 * `— name base64(key id ‖ signature)`. Reading one proves nothing: `openNote` verifies it.
 */
import { toHex } from "@safelight/core"
import { fromBase64, toBase64 } from "../bytes/base64.ts"
import { fromHex } from "../bytes/hex.ts"
import { refuse, type Refusal } from "./refusal.ts"
import { isKeyName } from "./verifier-key.ts"

export interface NoteSignature {
  readonly name: string
  /** 8 lower-case hexadecimal digits. */
  readonly id: string
  /** Without the key's id. */
  readonly signature: Uint8Array
}

export interface SignedNote {
  /** With its last newline. */
  readonly text: string
  /** In the order of the note; at least one. */
  readonly signatures: readonly NoteSignature[]
}

/** The specification asks for 16 signatures at least. */
export const MOST_SIGNATURES = 64

/** 64 of the largest signatures there are, of 5 kB, would not fit; 16 of them and a text do. */
export const MOST_NOTE_BYTES = 128 * 1024

const ID_BYTES = 4
const DASH = "\u2014 "

/** Refuses as `malformed` or `too-large`. Bytes must be UTF-8, and a byte order mark is no part of a note. */
export function parseNote(source: string | Uint8Array): SignedNote | Refusal {
  if (source.length > MOST_NOTE_BYTES) return refuse("too-large", "the note is too long")
  const note = typeof source === "string" ? source : decode(source)
  if (note?.isWellFormed() !== true) return refuse("malformed", "the note is not UTF-8")
  // oxlint-disable-next-line no-control-regex -- all that are below U+0020 except the newline
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) {
    return refuse("malformed", "the note has a control character")
  }
  const end = note.lastIndexOf("\n\n")
  if (end <= 0 || !note.endsWith("\n")) return refuse("malformed", "the note has no signatures")
  const lines = note.slice(end + 2, -1).split("\n")
  if (lines.length > MOST_SIGNATURES) return refuse("too-large", "the note has too many signatures")
  const signatures = lines.map(parseSignature)
  if (!signatures.every((each) => each !== undefined)) {
    return refuse("malformed", "a line of a signature is none")
  }
  return { text: note.slice(0, end + 1), signatures }
}

/** The note as a text: what `parseNote` read, as it was. */
export function formatNote({ signatures, text }: SignedNote): string {
  return `${text}\n${signatures.map(toLine).join("")}`
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function parseSignature(line: string): NoteSignature | undefined {
  if (!line.startsWith(DASH)) return undefined
  const [name = "", encoded = "", ...rest] = line.slice(DASH.length).split(" ")
  const bytes = fromBase64(encoded)
  if (rest.length > 0 || !isKeyName(name) || bytes === undefined) return undefined
  if (bytes.length <= ID_BYTES) return undefined
  const id = toHex(bytes.subarray(0, ID_BYTES))
  return { name, id, signature: bytes.subarray(ID_BYTES) }
}

function toLine({ id, name, signature }: NoteSignature): string {
  return `${DASH}${name} ${toBase64(Uint8Array.from([...fromHex(id), ...signature]))}\n`
}
