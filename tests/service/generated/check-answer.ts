/**
 * What holds of every answer whatever was asked: a request id, a whole error body with a code of
 * the table and its status, and words that repeat little of the input and nothing secret.
 */
import assert from "node:assert/strict"
import { ERROR_CODES } from "@safelight/http"
import { STATUSES, TYPES, type Expectation } from "./expected-answer.ts"

export interface Answer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: string
}

export interface Asked {
  readonly method: string
  /** Everything that the client sent and the answer must not repeat at length. */
  readonly input: string
  /** What no answer may hold at all. */
  readonly secrets: readonly string[]
}

interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: string
    readonly param?: string
    readonly details?: readonly { param: string; code: string; message: string }[]
  }
}

const MAX_MESSAGE_CHARACTERS = 300
const MAX_ECHO_CHARACTERS = 100
const MAX_DETAILS = 20

export function checkAnswer(answer: Answer, asked: Asked, expected: Expectation): void {
  checkAnyAnswer(answer, asked)
  if (expected.status === undefined) return
  assert.equal(answer.status, expected.status, answer.text)
  if (asked.method === "HEAD" || answer.status < 400) return
  const { error } = JSON.parse(answer.text) as ErrorBody
  assert.ok(
    expected.codes.includes(error.code),
    `${error.code} is none of ${expected.codes.join()}`,
  )
  if (expected.issues !== undefined) checkIssues(error, expected.issues)
}

/** What must hold where nothing is known of the request, mutated ones included. */
export function checkAnyAnswer(answer: Answer, asked: Asked): void {
  assert.ok(answer.status < 500, `${answer.status} ${answer.text}`)
  assert.match(answer.header("x-request-id") ?? "", /^req_[0-9a-f]{24}$/)
  assert.equal(answer.header("cache-control"), "no-store")
  for (const secret of asked.secrets) assert.ok(!answer.text.includes(secret), "tells a secret")
  if (answer.status === 405) assert.match(answer.header("allow") ?? "", /OPTIONS$/)
  if (answer.status === 401) assert.match(answer.header("www-authenticate") ?? "", /^Bearer /)
  if (answer.status === 204) assert.equal(answer.text, "")
  if (asked.method === "HEAD" || answer.status === 204) return
  assert.equal(answer.header("content-type"), "application/json; charset=utf-8")
  assert.equal(answer.header("x-content-type-options"), "nosniff")
  if (answer.status >= 400) checkErrorBody(answer, asked.input)
}

export function checkErrorBody({ status, text }: Answer, input: string): void {
  const { error, ...others } = JSON.parse(text) as ErrorBody
  assert.deepEqual(others, {})
  const { message, type, code, param, details, ...more } = error
  assert.deepEqual(more, {})
  assert.ok(
    ERROR_CODES.some((known) => known === code),
    code,
  )
  assert.equal(status, STATUSES[code] ?? 400, code)
  assert.equal(type, TYPES[status] ?? "invalid_request_error", code)
  checkWords(message, input)
  if (param !== undefined) checkWords(param, input)
  assert.ok(param === undefined || details === undefined, "names one fault and several")
  for (const detail of details ?? []) {
    assert.deepEqual(Object.keys(detail), ["param", "code", "message"])
    checkWords(detail.param, input)
    checkWords(detail.message, input)
  }
}

function checkIssues(
  { param, details }: ErrorBody["error"],
  issues: NonNullable<Expectation["issues"]>,
): void {
  const told = details?.map((detail) => detail.param) ?? (param === undefined ? [] : [param])
  assert.equal(told.length, Math.min(issues.length, MAX_DETAILS))
  for (const [index, { param: right }] of issues.slice(0, MAX_DETAILS).entries()) {
    // A long name is cut, and half a character is none.
    const name = told[index]?.replace(/…$/, "") ?? "none"
    assert.ok(right.toWellFormed().startsWith(name), `${name} is not ${right.slice(0, 120)}`)
  }
}

function checkWords(words: string, input: string): void {
  assert.equal(typeof words, "string")
  const characters = Array.from(words)
  assert.ok(characters.length <= MAX_MESSAGE_CHARACTERS, `${characters.length} characters`)
  assert.ok(words.isWellFormed())
  for (let at = 0; at + MAX_ECHO_CHARACTERS < characters.length; at += 1) {
    const piece = characters.slice(at, at + MAX_ECHO_CHARACTERS + 1).join("")
    assert.ok(!input.includes(piece), `repeats more than ${MAX_ECHO_CHARACTERS} characters`)
  }
}
