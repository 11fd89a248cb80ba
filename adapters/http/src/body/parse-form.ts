/**
 * Reads `multipart/form-data` (RFC 7578) in one pass. The platform's own reader takes texts that are no UTF-8, parts
 * without number and heads without end, and takes seconds for some forms of 16 MiB. Here each byte is looked at once,
 * or twice where a line begins as the delimiter does: no form makes it take longer.
 */
import { toRefuse } from "../errors/refusal.ts"

export const FORM_REFUSALS = ["malformed_request", "request_too_large"] as const
const refuse = toRefuse(FORM_REFUSALS)

export interface FormBounds {
  /** Each part costs more than its bytes. */
  readonly parts: number
  /** Of one part: its name, and the name and type of its file. */
  readonly headBytes: number
  /** Of all parts together that are no files. */
  readonly textBytes: number
}

/** Throws a `Refusal`. */
export function parseForm(bytes: Uint8Array, boundary: string, bounds: FormBounds): FormData {
  const form = new FormData()
  let textBytes = 0
  for (const { start, end } of findParts(bytes, boundary, bounds)) {
    const headEnd = findHeadEnd(bytes.subarray(start, Math.min(end, start + bounds.headBytes)))
    if (headEnd === undefined) throw refuseForm("a part has no head, or too long a one")
    const head = HEAD_TEXT.decode(bytes.subarray(start, start + headEnd))
    const { name, isFile, type } = readHead(head)
    const content = bytes.subarray(start + headEnd + HEAD_END.length, end)
    if (isFile) form.append(name, new File([content as Uint8Array<ArrayBuffer>], "", { type }))
    else {
      textBytes += content.length
      if (textBytes > bounds.textBytes) throw refuseTexts(bounds)
      form.append(name, decode(content))
    }
  }
  return form
}

function refuseForm(why: string, cause?: unknown): Error {
  return refuse("malformed_request", { message: `The request body is no form: ${why}.`, cause })
}

function refuseTexts({ textBytes }: FormBounds): Error {
  const message = `The texts of the form may have ${textBytes} bytes together.`
  return refuse("request_too_large", { message })
}

interface Part {
  /** Of its head. */
  readonly start: number
  readonly end: number
}

const CR = 13
const LF = 10
const DASH = 45

/** What is before the first delimiter, and behind the last, is no part (RFC 2046 §5.1.1). */
function findParts(bytes: Uint8Array, boundary: string, bounds: FormBounds): readonly Part[] {
  const delimiter = new TextEncoder().encode(`--${boundary}`)
  const parts: Part[] = []
  let start: number | undefined
  for (let at: number | undefined = 0; at !== undefined; at = findLine(bytes, at)) {
    if (!startsAt(bytes, at, delimiter)) continue
    const after = at + delimiter.length
    const isLast = bytes[after] === DASH && bytes[after + 1] === DASH
    const next = isLast ? after : skipPadding(bytes, after)
    // The line goes on: it only begins as the delimiter does.
    if (next === undefined) continue
    if (start !== undefined) parts.push({ start, end: at - DELIMITER_BREAK })
    if (isLast) return parts
    if (parts.length === bounds.parts) throw refuseForm(`it may have ${bounds.parts} parts`)
    start = next
  }
  throw refuseForm("it has no end")
}

/** The line break before a delimiter belongs to it. */
const DELIMITER_BREAK = 2

/** The start of the next line behind `from`. */
function findLine(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from + 1; at < bytes.length; at += 1) {
    if (bytes[at] === LF && bytes[at - 1] === CR) return at + 1
  }
  return undefined
}

/** Behind the line of a delimiter; undefined if there is more in it. */
function skipPadding(bytes: Uint8Array, start: number): number | undefined {
  let at = start
  while (bytes[at] === SPACE || bytes[at] === TAB) at += 1
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : undefined
}

const SPACE = 32
const TAB = 9

function startsAt(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false
  return true
}

const HEAD_END = Uint8Array.of(CR, LF, CR, LF)

function findHeadEnd(head: Uint8Array): number | undefined {
  for (let at = 0; at + HEAD_END.length <= head.length; at += 1) {
    if (startsAt(head, at, HEAD_END)) return at
  }
  return undefined
}

/** Older programs write names of files in other encodings: those say nothing here. */
const HEAD_TEXT = new TextDecoder()
const UTF8 = new TextDecoder("utf-8", { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw refuseForm("its texts must be UTF-8", cause)
  }
}

interface Head {
  readonly name: string
  readonly isFile: boolean
  /** Of the file; empty if none is told. */
  readonly type: string
}

const LINE = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/
const FORM_DATA = /^form-data(?![^\s;])/i
/** Its name, and its value with or without quotes. A backslash before a quote always belongs to the value. */
const OPTION = /[ \t]*;[ \t]*([\w*-]+)=(?:"((?:\\"|\\(?!")|[^"\\])*)"|([^\s";]*))[ \t]*/gy

function readHead(text: string): Head {
  const fields = new Map<string, string>()
  for (const line of text.split("\r\n")) {
    const [, field = "", value = ""] = LINE.exec(line) ?? []
    if (field === "" || fields.has(field.toLowerCase())) throw refuseForm("a part's head is none")
    fields.set(field.toLowerCase(), value)
  }
  const options = readOptions(fields.get("content-disposition") ?? "")
  const name = options.get("name")
  if (name === undefined) throw refuseForm("a part has no name")
  const type = fields.get("content-type") ?? ""
  // What the file is called is not kept.
  const isFile = options.has("filename") || options.has("filename*")
  requirePlain(fields.get("content-transfer-encoding"), isFile ? "" : type)
  return { name: unescapeName(name), isFile, type }
}

/** Of a content-disposition, by their names. */
function readOptions(disposition: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>()
  let [{ length: at }] = FORM_DATA.exec(disposition) ?? [""]
  for (const [all, name = "", quoted, bare = ""] of disposition.slice(at).matchAll(OPTION)) {
    if (options.has(name.toLowerCase())) throw refuseForm("a part has two names")
    options.set(name.toLowerCase(), quoted ?? bare)
    at += all.length
  }
  if (at === 0 || at < disposition.length) throw refuseForm("a part has no name that can be read")
  return options
}

const CHARSET = /;[ \t]*charset="?([^";\s]*)/i

/** RFC 7578 §4.7: parts stand as they are. */
function requirePlain(encoding: string | undefined, textType: string): void {
  if (encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    throw refuseForm("its parts must stand as they are, without a content-transfer-encoding")
  }
  const [, charset] = CHARSET.exec(textType) ?? []
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw refuseForm("its texts must be UTF-8")
  }
}

/** As browsers write what would end the name (HTML's form submission), and as others do. */
function unescapeName(name: string): string {
  return name
    .replaceAll(/\\"|%22/g, '"')
    .replaceAll(/%0d/gi, "\r")
    .replaceAll(/%0a/gi, "\n")
}
