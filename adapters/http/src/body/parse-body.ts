/**
 * Parses a body and refuses it if it is ambiguous: an object that names a member twice has two meanings,
 * and here one of them costs money. The checks have the order of http-decisions §1.
 */
import type { Refusal } from "../errors/refusal.ts"
import { findJsonFault, findUtf8Fault } from "./body-fault.ts"
import { refuse } from "./creation-refusals.ts"
import { JSON_BOUNDS, scanJson } from "./json-scan.ts"

/** Strict: it refuses bytes that others replace by U+FFFD. It drops a byte order mark (http-decisions §4). */
const UTF8 = new TextDecoder("utf-8", { fatal: true })

/** Throws a `Refusal`: `invalid_json`, `json_too_complex` or `duplicate_key`. */
export function parseBody(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  const structure = scanJson(text)
  if (structure === "too-complex") throw refuseComplex()
  const value = parseText(text, bytes)
  if (structure === "duplicate") throw refuse("duplicate_key")
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw refuseJson(`The request body is not UTF-8 at byte ${findUtf8Fault(bytes)}.`)
  }
}

function parseText(text: string, bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    if (text === "") throw refuseJson("The request body is empty.")
    throw refuseJson(`The request body is not valid JSON at byte ${findJsonFault(bytes)}.`)
  }
}

function refuseJson(message: string): Refusal {
  return refuse("invalid_json", { message })
}

function refuseComplex(): Refusal {
  const { depth, nodes } = JSON_BOUNDS
  const message = `The request body may be ${depth} levels deep and hold ${nodes} values.`
  return refuse("json_too_complex", { message })
}
