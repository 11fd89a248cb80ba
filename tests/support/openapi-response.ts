/**
 * The check of `openapi-answers.ts` for clients that speak `fetch`. A JSON answer is read from a
 * copy, unless it is compressed; anything else is judged by its head alone, so a download stays the caller's to read.
 */
import { createAnswerChecker, type AnswerChecker, type CheckedAnswer } from "./openapi-answers.ts"
import type { ApiDocument } from "./openapi-document.ts"

export interface AskedFor {
  readonly method: string
  /** Path and query. */
  readonly target: string
}

export type Send = (request: Request) => Response | Promise<Response>

/** Rejects with an assertion error where the response does not fit the document. */
export async function checkResponse(
  checker: AnswerChecker,
  { method, target }: AskedFor,
  response: Response,
): Promise<CheckedAnswer> {
  const { status, headers } = response
  const isJson =
    headers.get("content-type")?.startsWith("application/json") === true &&
    !headers.has("content-encoding")
  const isEmpty = response.body === null
  const text = isEmpty ? "" : isJson ? await response.clone().text() : undefined
  return checker.check({ method, target, status, headers: new Map(headers), text })
}

/** One checker a process for each document: compiling its schemas costs more than their use. */
const checkers = new Map<string, AnswerChecker>()

/** By the document that the service of `url` answers with. */
export async function loadChecker(url: string, send: Send): Promise<AnswerChecker> {
  const response = await send(new Request(new URL("/openapi.json", url)))
  const text = await response.text()
  const known = checkers.get(text) ?? createAnswerChecker(JSON.parse(text) as ApiDocument)
  checkers.set(text, known)
  return known
}

/**
 * `fetch` that holds every answer to the service's own document: of a handler
 * (`createCheckedFetch(handler.fetch)`), or over a socket (`createCheckedFetch(fetch)`).
 */
export function createCheckedFetch(
  send: Send,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  let checker: AnswerChecker | undefined
  return async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init)
    const response = await send(request)
    checker ??= await loadChecker(request.url, send)
    const { pathname, search } = new URL(request.url)
    await checkResponse(checker, { method: request.method, target: pathname + search }, response)
    return response
  }
}
