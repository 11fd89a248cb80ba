/** An artifact's bytes as an async iterable, for hosts that embed the engine without HTTP. */
import { SafelightError } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

export interface ArtifactName {
  /** The task's id. */
  readonly task: string
  /** `image_1`, `image_2`… or `video`. */
  readonly key: string
}

/** Large enough that a call costs little beside the copy. */
const CHUNK_BYTES = 256 * 1024

/** Rejects with `artifact-missing` where there is no such artifact; else as the storage fails. */
export async function* readArtifact(
  { artifacts, clock, storage }: Pick<Ports, "artifacts" | "clock" | "storage">,
  { task, key }: ArtifactName,
): AsyncGenerator<Uint8Array> {
  const rows = await storage.readArtifacts(task)
  const row = rows.find((each) => each.key === key)
  // Expiry is decided when the reading starts, whether or not a sweep ran (design §7).
  if (row === undefined || clock.now() >= row.expiresAt) {
    throw new SafelightError({ code: "artifact-missing", message: `no artifact ${key}` })
  }
  const reader = await artifacts.open({ locator: row.locator })
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES)
      const length = await reader.read(chunk)
      if (length === 0) return
      yield chunk.subarray(0, length)
    }
  } finally {
    await reader.close()
  }
}
