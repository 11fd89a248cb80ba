/** Private links to all artifacts of a task, by one request. Links are not stored and cost nothing, so it is repeated. */
import type { LinkedArtifact } from "../api/answers.ts"
import { isArtifactLinkList } from "../api/check-answers.ts"
import { toTaskPath, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import type { LinkOptions } from "./task-artifact.ts"

export async function linkArtifacts(
  connection: Connection,
  id: string,
  { expiresInSeconds, signal }: LinkOptions = {},
): Promise<readonly LinkedArtifact[]> {
  const path = withQuery(`${toTaskPath(id)}/links`, { expires_in: expiresInSeconds })
  const request = { method: "POST", path, signal } as const
  const { value } = await connection.retry(() => connection.ask(request, isArtifactLinkList), {
    signal,
  })
  return value.links
}
