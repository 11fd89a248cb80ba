/** Keeping the artifacts of a finished task longer. Twice is the same as once, so it is repeated like a read. */
import type { Artifact } from "../api/answers.ts"
import { isArtifactList } from "../api/check-answers.ts"
import { toTaskPath, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import type { CallOptions } from "./list-tasks.ts"

/** Rejects with a `TypeError` if `until` is no moment. */
export async function holdArtifacts(
  connection: Connection,
  id: string,
  until: number | Date,
  { signal }: CallOptions = {},
): Promise<readonly Artifact[]> {
  const path = withQuery(`${toTaskPath(id)}/hold`, { until: toUnixSeconds(until) })
  const request = { method: "POST", path, signal } as const
  const { value } = await connection.retry(() => connection.ask(request, isArtifactList), {
    signal,
  })
  return value.artifacts
}

/** Not before the moment that was meant. */
function toUnixSeconds(until: number | Date): number {
  const seconds = until instanceof Date ? Math.ceil(until.getTime() / 1_000) : until
  if (Number.isSafeInteger(seconds) && seconds >= 0) return seconds
  throw new TypeError("until: expected whole Unix seconds, or a date")
}
