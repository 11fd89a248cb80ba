/**
 * From a body's bytes to the value they hold, refusing what is ambiguous: a member named twice
 * has two meanings, and here one of them costs money. The order is that of http-decisions §1.
 */
import { Refusal } from "../errors/refusal.ts"
import { findJsonFault } from "./json-fault.ts"
import { JSON_BOUNDS, scanJson } from "./json-scan.ts"
import { decodeUtf8, findUtf8Fault } from "./utf8.ts"

const BOM_BYTES = 3

/** Throws a `Refusal`: `invalid_json`, `json_too_complex` or `duplicate_key`. */
export function parseBody(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (text === undefined) {
    throw refuseJson(`The request body is not UTF-8 at byte ${findUtf8Fault(bytes)}.`)
  }
  const structure = scanJson(text)
  if (structure === "too-complex") throw refuseComplex()
  const value = parseText(text, bytes)
  if (structure === "duplicate") throw new Refusal("duplicate_key")
  return value
}

function parseText(text: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    if (text === "") throw refuseJson("The request body is empty.")
    const before = text.slice(0, findJsonFault(text))
    const byte = new TextEncoder().encode(before).length + (hasBom(bytes) ? BOM_BYTES : 0)
    throw refuseJson(`The request body is not valid JSON at byte ${byte}.`)
  }
}

function hasBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

function refuseJson(message: string): Refusal {
  return new Refusal("invalid_json", { message })
}

function refuseComplex(): Refusal {
  const { depth, nodes } = JSON_BOUNDS
  const message = `The request body may be ${depth} levels deep and hold ${nodes} values.`
  return new Refusal("json_too_complex", { message })
}
