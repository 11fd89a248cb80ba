/** An artifact's bytes as an async iterable, for hosts that embed the engine without HTTP. */
import { SafelightError, toArtifacts } from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { readStored } from "../media/inspect-stored.ts"
import { openArtifact } from "./open-artifact.ts"

export interface ArtifactName {
  /** The task's id. */
  readonly task: string
  /** `image_1`, `image_2`… or `video`. */
  readonly key: string
}

/**
 * Rejects with `artifact-missing` if there is no such artifact, with `artifacts-unavailable` before the last chunk
 * if the bytes are not those of the log, and otherwise as the storage does.
 */
export async function* readArtifact(
  ports: Pick<Ports, "artifacts" | "clock" | "log" | "storage" | "verifiedReads">,
  { task, key }: ArtifactName,
): AsyncGenerator<Uint8Array> {
  const head = await ports.storage.readTask(task)
  const row = head && toArtifacts(head.task).find((each) => each.key === key)
  // Expiry is decided when the reading starts, whether or not a sweep ran (design §7).
  if (row === undefined || ports.clock.now() >= row.expiresAt) {
    throw new SafelightError({ code: "artifact-missing", message: `no artifact ${key}` })
  }
  yield* readStored(() => openArtifact(ports, { artifact: row }))
}
