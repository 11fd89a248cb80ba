/**
 * A request of the task API with the caller's key, whose whole answer is wanted at once. It has nothing of the client's
 * patience, which costs as much as the request itself: who answers is in this process, and no connection can fail.
 */
import { ApiError } from "@safelight/client"
import type { Call } from "./call.ts"

export interface PostedRequest {
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
}

/** Resolves to the JSON of the answer; `Value` is what the API promises. Rejects with an `ApiError` for a refusal. */
export async function post<Value>(
  { fetch, request }: Call,
  path: string,
  { body, headers }: PostedRequest = {},
): Promise<Value> {
  const authorization = request.headers.get("authorization") ?? ""
  const answer = await fetch(path, {
    method: "POST",
    headers: { authorization, ...headers },
    ...(body !== undefined && { body }),
  })
  const { status } = answer
  if (status < 300) return (await answer.json()) as Value
  const { error } = (await answer.json()) as Refused
  const retryAfter = answer.headers.get("retry-after")
  const retryAfterMs = retryAfter === null ? undefined : Number(retryAfter) * 1_000
  throw new ApiError({ ...error, status, retryAfterMs })
}

/** http-decisions §2. */
interface Refused {
  readonly error: Pick<ApiError, "code" | "details" | "message" | "param" | "type">
}
