/**
 * Parses a body and refuses it if it is ambiguous: an object that names a member twice has two meanings,
 * and here one of them costs money. The checks have the order of http-decisions §1.
 */
import type { Refusal } from "../errors/refusal.ts"
import { refuse } from "./creation-refusals.ts"
import { findJsonFault } from "./json-fault.ts"
import { JSON_BOUNDS, scanJson } from "./json-scan.ts"
import { decodeUtf8, findUtf8Fault } from "./utf8.ts"

/** Throws a `Refusal`: `invalid_json`, `json_too_complex` or `duplicate_key`. */
export function parseBody(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (text === undefined) {
    throw refuseJson(`The request body is not UTF-8 at byte ${findUtf8Fault(bytes)}.`)
  }
  const structure = scanJson(text)
  if (structure === "too-complex") throw refuseComplex()
  const value = parseText(text, bytes)
  if (structure === "duplicate") throw refuse("duplicate_key")
  return value
}

function parseText(text: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text) as unknown
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
